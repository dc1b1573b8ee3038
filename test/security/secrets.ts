import { sql } from '../../server/src/platform/database/sql.ts';
import type { TestServer } from '../harness/server.ts';

/** What answers may contain that lets somebody in. */

const NAMES = /^(access|refresh|token|token_ip|secret|kubeconfig|config|auth_header_value|recovery_codes)$/;
const ENDS = /(password|_secret|_token|secret_key|private_key|secret_access_key|payload|connection_string)$/;

/** Whether a field with this name has a secret, where it is a text. */
export const isSecretName = (name: string): boolean => NAMES.test(name) || ENDS.test(name);

/** The secrets in a body, by the names of their fields. */
export function secretsIn(value: unknown, name = ''): { name: string; text: string }[] {
  if (typeof value === 'string') return isSecretName(name) && value !== '' ? [{ name, text: value }] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => secretsIn(part, Array.isArray(value) ? name : key));
}

/** What of an answer's secrets is kept for its Idempotency-Key: those that its names say, and those that were sent.
 *  @param sent the body of the request */
export async function keptSecrets(server: TestServer, key: string, sent: unknown): Promise<string[]> {
  const [row] = await server.db.rows<{ key_id: string; sealed: Buffer }>(
    sql`select key_id, sealed from idempotency_keys where key = ${key} and sealed is not null`,
  );
  if (!row) return [];
  const text = server.cipher.open({ keyId: row.key_id, box: row.sealed }, `idempotency key ${key}`);
  return [
    ...secretsIn(JSON.parse(text)).map(({ name }) => name),
    ...secretsIn(sent)
      .filter((secret) => text.includes(JSON.stringify(secret.text).slice(1, -1)))
      .map(({ name }) => name),
  ];
}
