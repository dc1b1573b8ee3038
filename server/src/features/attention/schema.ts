import { Type } from '@sinclair/typebox';
import { ListOf, Nullable, StringEnum, ZuluTime } from '../../platform/http/schemas.ts';

const Item = Type.Object(
  {
    kind: Type.String({ description: 'What it is: `load_balancer`, `task`, `quota`.' }),
    id: Type.String({ description: 'Its id; of a quota, its name.' }),
    name: Type.String({ description: 'What people call it; of a task, its type.' }),
    subject: Nullable(Type.String(), { description: 'Of a task, what it is about; null: it is no task.' }),
    region_id: Nullable(Type.Integer(), { description: 'Where it is; null: it is in no region.' }),
    severity: StringEnum(['failed', 'degraded'], {
      description: '`failed`: it does not do its work; `degraded`: not all of it, or soon no longer.',
    }),
    reason: Type.String({ description: 'What is wrong with it.' }),
    since: Nullable(ZuluTime(), { description: 'Since when; null: that is not known.' }),
  },
  { $id: 'AttentionItem' },
);
export const AttentionList = ListOf(Item, 'AttentionList');
