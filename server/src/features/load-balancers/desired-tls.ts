import type { SecretContent } from '../secrets/index.ts';
import type { ListenerRow, LoadBalancerTree, PoolRow } from './model.ts';
import type { DesiredCertificate, DesiredMemberTls } from './port.ts';

/** Certificates of listeners and pools, from the secrets that their rows name. */

export type OpenedSecrets = ReadonlyMap<string, SecretContent>;

/** The default certificate first, then those chosen by SNI. */
export function listenerSecretIds({ secret_id: id, sni_secret_ids: more }: ListenerRow): string[] {
  return [...new Set([...(id ? [id] : []), ...more])];
}

export function poolSecretIds(row: PoolRow): string[] {
  return [row.secret_id, row.ca_secret_id, row.crl_secret_id].filter((id) => id !== null);
}

/** Every secret that this load balancer needs to serve, each once. */
export function secretIdsOf({ listeners, pools }: LoadBalancerTree): string[] {
  return [...new Set([...listeners.flatMap(listenerSecretIds), ...pools.flatMap(poolSecretIds)])];
}

export const opened = (ids: readonly string[], secrets: OpenedSecrets): boolean =>
  ids.every((id) => secrets.has(id));

export function certificateOf(id: string, secrets: OpenedSecrets): DesiredCertificate | undefined {
  const { certificate, chain, privateKey } = secrets.get(id) ?? {};
  if (!certificate || !privateKey) return undefined;
  return { id, certificate, chain: chain ?? null, privateKey };
}

/** Certificates (PEM) of the authorities that the listener names, or null: it names none. The chains of its own
 *  certificates are none of them: who has one of a public authority is not everybody whom that knows. */
export function clientAuthorities(row: ListenerRow, secrets: OpenedSecrets): string | null {
  const named = listenerSecretIds(row).flatMap((id) => {
    const { certificate, chain, privateKey } = secrets.get(id) ?? {};
    return certificate && !privateKey ? [certificate, chain ?? ''] : [];
  });
  return named.length > 0 ? named.join('') : null;
}

/** TLS towards members: on where the pool names any secret. */
export function memberTls(row: PoolRow, secrets: OpenedSecrets): DesiredMemberTls | null {
  if (poolSecretIds(row).length === 0) return null;
  const authorities = row.ca_secret_id === null ? undefined : secrets.get(row.ca_secret_id);
  const revocations = row.crl_secret_id === null ? undefined : secrets.get(row.crl_secret_id);
  return {
    caBundle: authorities ? `${authorities.certificate ?? ''}${authorities.chain ?? ''}` : null,
    crl: revocations?.revocations ?? null,
    clientCertificate: (row.secret_id !== null && certificateOf(row.secret_id, secrets)) || null,
  };
}
