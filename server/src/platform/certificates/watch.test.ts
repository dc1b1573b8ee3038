import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createCluster, startServerWithSshKey } from '../../../../test/harness/kubernetes.ts';
import { shared } from '../../../../test/harness/shared.ts';
import { makeCertificate, payloadOf } from '../../features/secrets/testing/certificates.ts';
import { sql } from '../database/sql.ts';

const DAY_MS = 86_400_000;
const server = shared(() => startServerWithSshKey());
const inDays = (days: number) => new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY_MS);

test('certificates in use that expire soon, or have expired, are in metrics and log, each once', async () => {
  const { db, clock, dataDir } = server;
  const lines: string[] = [];
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) });
  const apiExpires = inDays(-1);
  const api = await makeCertificate(['api.test'], { notAfter: apiExpires });
  const tls = { certificate: path.join(dataDir, 'api.pem'), key: path.join(dataDir, 'api.key') };
  writeFileSync(tls.certificate, api.certificate);
  writeFileSync(tls.key, api.privateKey);

  const used = inDays(5);
  const payload = payloadOf(await makeCertificate(['shop.test'], { notAfter: used }));
  const secret = await server.ended(
    await server.call('POST', '/cloud/v2/secrets/1/2', { body: { name: 'shop', payload } }),
  );
  const [secretId] = secret.created_resources?.secrets ?? [];
  const listeners = [
    { name: 'https', protocol: 'TERMINATED_HTTPS', protocol_port: 443, secret_id: secretId },
  ];
  const made = await server.ended(
    await server.call('POST', '/cloud/v1/loadbalancers/1/2', { body: { name: 'shop', listeners } }),
  );
  const [listenerId] = made.created_resources?.listeners ?? [];

  const { id } = await createCluster(server, 'old');
  const authorityExpires = inDays(60);
  const authority = await makeCertificate(['old-ca'], { authority: true, notAfter: authorityExpires });
  await db.run(
    sql`update k8s_clusters set created_at = created_at - interval '3600 days', ca_certificate = ${authority.certificate}`,
  );

  const app = server.newApp({ log, tls });
  await app.certificates.look();
  await app.certificates.look();
  expect(app.certificates.first).toEqual(
    new Map([
      ['api', apiExpires],
      ['listener', used],
      ['authority', authorityExpires],
    ]),
  );
  expect(lines.map((line) => JSON.parse(line)).map(({ level, msg }) => [level, msg])).toEqual([
    [50, `the certificate of the API (${tls.certificate}) has expired: ${apiExpires.toISOString()}`],
    [40, `the certificate of listener ${listenerId} expires soon: ${used.toISOString()}`],
  ]);

  // As time passes.
  const later = { ...clock, now: () => inDays(61) };
  const late = server.newApp({ log, clock: later });
  lines.length = 0;
  await late.certificates.look();
  expect(lines.map((line) => JSON.parse(line).msg).sort()).toEqual([
    `the certificate of listener ${listenerId} has expired: ${used.toISOString()}`,
    `the certificate of the authority of Kubernetes cluster ${id} has expired: ${authorityExpires.toISOString()}`,
  ]);
  const probes = await late.probes();
  expect((await probes.inject('/metrics')).payload).toContain(
    `\nvirga_certificate_expiry_timestamp_seconds{use="listener"} ${used.getTime() / 1000}\n`,
  );
  await probes.close();
});
