import type { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import { raw, sql } from '../../platform/database/sql.ts';
import type { SecretReference } from '../secrets/index.ts';
import type { PoolProtocol } from './port.ts';
import type { CreateLoadBalancer } from './schema.ts';

/** Where listeners and pools name secrets. */

/** Enough to find the rest by. */
const SHOWN = 10;

/** Who uses a secret, in words; otherwise the task that may bring back somebody who used it. */
export async function findSecretUsers(
  tx: Tx,
  secretId: string,
): Promise<{ readonly users: readonly string[]; readonly taskId: string | undefined }> {
  const users = await readUsers(tx, secretId);
  const [changing] = await tx.rows<{
    task_id: string;
  }>(sql`select task_id from lb_listeners where previous is not null and strpos(previous::text, ${secretId}::text) > 0
     union all
     select task_id from lb_pools where previous is not null and strpos(previous::text, ${secretId}::text) > 0 limit 1`);
  return { users, taskId: changing?.task_id };
}

async function readUsers(tx: Tx, secretId: string): Promise<string[]> {
  const rows = await tx.rows<{
    kind: string;
    id: string;
    name: string;
    load_balancer_id: string;
  }>(sql`select 'listener' as kind, id, name, load_balancer_id from lb_listeners where secret_id = ${secretId}
     union select 'listener', id, name, load_balancer_id from lb_listeners
            where sni_secret_ids @> array[${secretId}]::uuid[] and sni_secret_ids <> '{}'
     union select 'pool', id, name, load_balancer_id from lb_pools where secret_id = ${secretId}
     union select 'pool', id, name, load_balancer_id from lb_pools where ca_secret_id = ${secretId}
     union select 'pool', id, name, load_balancer_id from lb_pools where crl_secret_id = ${secretId}
     order by kind, name, id limit ${raw(SHOWN)}`);
  return rows.map(
    ({ kind, id, name, load_balancer_id: owner }) => `${kind} ${name} (${id}) of load balancer ${owner}`,
  );
}

type Id = string | null | undefined;

/** Secrets that a listener's body names. `at` is the body's place: '' or `listeners.0.`. */
export function listenerSecrets(
  listener: { readonly secret_id?: Id; readonly sni_secret_id?: readonly string[] | null | undefined },
  at = '',
): SecretReference[] {
  const { secret_id: id, sni_secret_id: more } = listener;
  return [
    ...(id ? [{ field: `${at}secret_id`, id, as: 'certificate' as const }] : []),
    ...(more ?? []).map((sni, index) => ({
      field: `${at}sni_secret_id.${index}`,
      id: sni,
      // Those of authorities are what certificates of clients are measured against.
      as: 'certificate or authorities' as const,
    })),
  ];
}

interface PoolSecrets {
  readonly secret_id?: Id;
  readonly ca_secret_id?: Id;
  readonly crl_secret_id?: Id;
}

/** Secrets that a pool's body names. `at` is the body's place: '' or `listeners.0.pools.0.`. */
export function poolSecrets(pool: PoolSecrets, at = ''): SecretReference[] {
  const { secret_id: client, ca_secret_id: ca, crl_secret_id: crl } = pool;
  return [
    ...(client ? [{ field: `${at}secret_id`, id: client, as: 'certificate' as const }] : []),
    ...(ca ? [{ field: `${at}ca_secret_id`, id: ca, as: 'authorities' as const }] : []),
    ...(crl
      ? [
          {
            field: `${at}crl_secret_id`,
            id: crl,
            as: 'revocations' as const,
            ...(ca ? { authoritiesId: ca } : {}),
          },
        ]
      : []),
  ];
}

/** Secrets that a body names which creates a whole load balancer. */
export function secretsOf({ listeners = [] }: CreateLoadBalancer): SecretReference[] {
  return listeners.flatMap((listener, index) => [
    ...listenerSecrets(listener, `listeners.${index}.`),
    ...(listener.pools ?? []).flatMap((pool, scope) =>
      poolSecrets(pool, `listeners.${index}.pools.${scope}.`),
    ),
  ]);
}

/** Members of these pools speak TLS with the client already, or cannot speak it at all. */
const NO_TLS: ReadonlySet<PoolProtocol> = new Set(['HTTPS', 'UDP']);

/** What must be so for a pool to speak TLS with its members, as it does when it names any secret. */
export function checkPoolSecrets(
  pool: PoolSecrets,
  protocol: PoolProtocol,
  at: string,
  faults: Faults,
): void {
  if (pool.crl_secret_id && !pool.ca_secret_id) faults.add(`${at}crl_secret_id`, 'needs ca_secret_id');
  if (!NO_TLS.has(protocol)) return;
  for (const field of ['secret_id', 'ca_secret_id', 'crl_secret_id'] as const) {
    if (pool[field]) faults.add(`${at}${field}`, `is not possible for a pool of protocol ${protocol}`);
  }
}
