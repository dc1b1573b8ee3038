import { Locked } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Scope } from '../../platform/http/context.ts';
import { day, type SecretKind } from './material.ts';
import { keepSecrets, type SecretRow } from './store.ts';

/** What a field wants of a secret. */
type SecretUse = SecretKind | 'certificate or authorities';

/** A field that names a secret, and what the secret must be good for. */
export interface SecretReference {
  /** Path of the field in the body: `listeners.0.secret_id`. */
  readonly field: string;
  readonly id: string;
  readonly as: SecretUse;
  /** For revocations: the secret with the authorities whose revocations they are. */
  readonly authoritiesId?: string;
}

/** A certificate with its key can stand for the authorities of its chain. */
const GOOD_FOR: Readonly<Record<SecretUse, readonly SecretKind[]>> = {
  certificate: ['certificate'],
  'certificate or authorities': ['certificate', 'authorities'],
  authorities: ['authorities', 'certificate'],
  revocations: ['revocations'],
};
const NEEDED: Readonly<Record<SecretUse, string>> = {
  certificate: 'a certificate with its private key',
  'certificate or authorities': 'a certificate with its private key, or certificates of authorities',
  authorities: 'certificates of authorities',
  revocations: 'a revocation list (CRL)',
};

/** Makes sure that the secrets a body names can be used, and keeps them from being deleted until the transaction
 *  ends. Call it in the transaction that writes who uses them.
 *  @throws Invalid naming every faulty field, Locked when one is just being created or deleted */
export async function requireSecrets(
  tx: Tx,
  scope: Scope,
  references: readonly SecretReference[],
  now: Date,
): Promise<void> {
  if (references.length === 0) return;
  const ids = references.map(({ id }) => id.toLowerCase());
  const rows = new Map((await keepSecrets(tx, ids, scope)).map((row) => [row.id, row]));
  const faults = new Faults();
  for (const reference of references) {
    const row = rows.get(reference.id.toLowerCase());
    const fault = row ? faultOf(row, reference, rows, now) : `Secret ${reference.id} was not found`;
    if (fault) faults.add(reference.field, fault);
  }
  faults.refuse();
  for (const row of rows.values()) refusePending(row);
}

function faultOf(
  row: SecretRow,
  { as, authoritiesId }: SecretReference,
  rows: ReadonlyMap<string, SecretRow>,
  now: Date,
): string | undefined {
  if (!GOOD_FOR[as].includes(row.kind)) {
    return `Secret ${row.id} holds ${NEEDED[row.kind]}; needed is ${NEEDED[as]}`;
  }
  const ended = [row.expiration, row.not_after].find((end) => end !== null && end <= now);
  if (ended) return `Secret ${row.id} expired on ${day(ended)}`;
  const authorities = authoritiesId === undefined ? undefined : rows.get(authoritiesId.toLowerCase());
  if (!authorities || row.names.every((issuer) => authorities.names.includes(issuer))) return undefined;
  return `Secret ${row.id} holds revocations of another authority than those of secret ${authorities.id}`;
}

function refusePending({ id, status, task_id: taskId }: SecretRow): void {
  if (taskId !== null) throw new Locked(`Secret ${id} is ${status} and`, taskId);
}
