import { type TSchema, Type } from '@sinclair/typebox';
import type { Queryable } from '../../platform/database/db.ts';
import type { Amounts, QuotaName, QuotaScope } from './model.ts';
import { readQuotas } from './store.ts';

/** The shape of what `exceededQuotas` answers: each of these quotas may be there. */
export function exceededSchema(names: readonly QuotaName[], $id: string) {
  const parts = ['limit', 'requested', 'usage'];
  const entries = names.flatMap((name) =>
    parts.map((part): [string, TSchema] => [`${name}_${part}`, Type.Optional(Type.Integer())]),
  );
  return Type.Unsafe<Record<string, number>>(Type.Object(Object.fromEntries(entries), { $id }));
}

/** Limit, usage and request of every quota that does not suffice; nothing is reserved. */
export async function exceededQuotas(
  db: Queryable,
  scope: QuotaScope,
  amounts: Amounts,
): Promise<Record<string, number>> {
  const names = Object.keys(amounts) as QuotaName[];
  const quotas = await readQuotas(db, scope, names);
  const found: Record<string, number> = {};
  for (const name of names) {
    const requested = amounts[name] ?? 0;
    const { limit, usage } = quotas[name];
    if (usage + requested <= limit) continue;
    Object.assign(found, {
      [`${name}_limit`]: limit,
      [`${name}_usage`]: usage,
      [`${name}_requested`]: requested,
    });
  }
  return found;
}
