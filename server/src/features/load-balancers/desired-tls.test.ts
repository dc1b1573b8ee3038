import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../platform/database/sql.ts';
import { SecretReader } from '../secrets/index.ts';
import {
  type MadeCertificate,
  makeCertificate,
  makeRevocations,
  payloadOf,
} from '../secrets/testing/certificates.ts';
import { DataPlanes } from './data-planes.ts';
import { Reconciler } from './reconcile.ts';
import { LBS } from './testing/bodies.ts';
import { type LiveRegion, startLiveRegion } from './testing/live-region.ts';

let region: LiveRegion;
let authority: MadeCertificate;
let site: MadeCertificate;

beforeAll(async () => {
  region = await startLiveRegion();
  authority = await makeCertificate(['authority.test'], { authority: true });
  site = await makeCertificate(['site.test'], { issuer: authority });
});

afterAll(() => region.close());

/** A secret whose task has ended. */
async function secret(payload: object): Promise<string> {
  const { server } = region;
  const body = { name: 'made by a test', payload };
  expect((await server.call('POST', '/cloud/v2/secrets/1/2', { body })).status).toBe(200);
  const [row] = await server.db.rows<{ id: string }>(
    sql`update secrets set status = 'ACTIVE', task_id = null where status <> 'ACTIVE' returning id`,
  );
  return row?.id ?? '';
}

const keyless = { certificate_chain: '', private_key: '' };

async function created() {
  const [own, ca, crl] = [
    await secret(payloadOf(site, authority.certificate)),
    await secret({ ...keyless, certificate: authority.certificate }),
    await secret({ ...keyless, certificate: await makeRevocations(authority, [site]) }),
  ];
  const pool = {
    name: 'app',
    protocol: 'HTTP',
    lb_algorithm: 'ROUND_ROBIN',
    secret_id: own,
    ca_secret_id: ca,
    crl_secret_id: crl,
  };
  const body = {
    name: 'tls',
    listeners: [
      { name: 'https', protocol: 'TERMINATED_HTTPS', protocol_port: 443, secret_id: own, pools: [pool] },
      { name: 'http', protocol: 'HTTP', protocol_port: 80 },
    ],
  };
  const { created_resources } = await region.finished(await region.server.call('POST', LBS, { body }));
  const id = String(created_resources?.loadbalancers?.[0]);
  return { id, own, served: () => region.provider.served.get(id) };
}

/** By a server that has opened nothing yet. */
async function reconciled(): Promise<void> {
  const { server, provider } = region;
  const secrets = new SecretReader(server.cipher);
  const providers = new DataPlanes({
    providerOf: () => provider,
    addressesOf: () => provider,
    regionIds: () => [2],
    now: () => 0,
    secrets,
  });
  await new Reconciler(server.db, providers, pino({ level: 'silent' })).run();
}

const certificate = () => ({ chain: authority.certificate, ...pairOf(site) });
const pairOf = ({ certificate: pem, privateKey }: MadeCertificate) => ({ certificate: pem, privateKey });

test('the data plane gets certificates in the clear, from tasks and when it has lost them', async () => {
  const { id, own, served } = await created();
  const requested = {
    listeners: [
      { port: 443, certificates: [{ id: own, ...certificate() }] },
      { port: 80, certificates: [] },
    ],
    pools: [
      {
        adminStateUp: true,
        tls: {
          caBundle: authority.certificate,
          crl: expect.stringContaining('BEGIN X509 CRL'),
          clientCertificate: { id: own, ...certificate() },
        },
      },
    ],
  };
  expect(served()).toMatchObject(requested);
  region.provider.served.clear();
  await region.reconciler.run();
  expect(served()).toMatchObject(requested);
  const patch = await region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, {
    body: { admin_state_up: false },
  });
  await region.finished(patch);
  expect(served()).toMatchObject({ ...requested, adminStateUp: false });
});

test('with a secret that cannot be opened nothing is served with less: the rest goes on, and tasks say why', async () => {
  const { id, own, served } = await created();
  await region.server.db.run(sql`update secrets set sealed = '\\x00' where id = ${own}`);
  region.provider.served.clear();
  await reconciled();
  expect(served()).toMatchObject({ listeners: [{ port: 80 }], pools: [{ adminStateUp: false }] });
  const task = await region.finished(
    await region.server.call('PATCH', `/cloud/v2/loadbalancers/1/2/${id}`, {
      body: { admin_state_up: false },
    }),
  );
  expect(task).toMatchObject({
    state: 'ERROR',
    error: expect.stringContaining(`Secret ${own} cannot be opened`),
  });
});
