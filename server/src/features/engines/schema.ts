import { Type } from '@sinclair/typebox';
import { Nullable, StringEnum } from '../../platform/http/schemas.ts';

export const Engine = Type.Object(
  {
    name: Type.String({ description: 'What `npm run engines -- install` calls it.' }),
    title: Type.String({ description: 'The program.' }),
    needed_for: Type.String({ description: 'What is not there without it.' }),
    version: Nullable(
      Type.String({ description: 'The version that is got; null: the one that the system has.' }),
    ),
    state: StringEnum(['ready', 'missing', 'broken'], {
      description: '`ready`: it was tried and works; `broken`: it is there and does not work.',
    }),
    program: Nullable(Type.String({ description: 'Where it is.' })),
    says: Nullable(Type.String({ description: 'What the program says that it is.' })),
    fault: Nullable(Type.String({ description: 'Why it cannot be used, and what to do.' })),
    small: Type.Boolean({ description: 'A start gets it without being asked for.' }),
  },
  { $id: 'Engine' },
);

export const EngineList = Type.Object(
  {
    node: Type.String({ description: 'The machine that was looked at: the one of the node that answers.' }),
    count: Type.Integer(),
    results: Type.Array(Engine),
  },
  { $id: 'EngineList' },
);
