import { expect, test } from 'vitest';
import { finished } from '../../../../test/harness/project.ts';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { sql } from '../../platform/database/sql.ts';
import { MAX_SECRETS_MIB } from './service.ts';
import { makeCertificate, payloadOf } from './testing/certificates.ts';

const server = shared(startTestServer);

test('an account keeps so many MiB of secrets, in all its regions together', async () => {
  const payload = payloadOf(await makeCertificate(['site.test']));
  const post = (path: string) => server.call('POST', path, { body: { name: 'site', payload } });
  const create = async () => {
    const task = await server.ended(await post('/cloud/v2/secrets/1/2'));
    return String(task.created_resources?.secrets?.[0]);
  };
  const grow = (id: string) =>
    server.db.rows(
      sql`update secrets set sealed = sealed || convert_to(repeat('x', ${(MAX_SECRETS_MIB / 2) * 1024 * 1024}), 'UTF8') where id = ${id}`,
    );
  const first = await create();
  await grow(first);
  await grow(await create());
  for (const path of ['/cloud/v2/secrets/1/2', '/cloud/v2/secrets/1/1']) {
    const refused = await post(path);
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain('64 MiB of secrets, which is the most for account 1');
  }
  await finished(server, server.call('DELETE', `/cloud/v1/secrets/1/2/${first}`));
  await create();
});
