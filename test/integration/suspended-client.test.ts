import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { webBalancer } from '../harness/balancer.ts';
import { startLocalServer } from '../harness/regions.ts';
import { connectSftp } from '../harness/sftp.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';
import { asVictim, CLIENT } from '../security/victim.ts';

/** Data planes of a client that is suspended: they go on, or serve nobody, as told. Nothing of them is lost. */

const server = shared(startLocalServer);
const PORT = 8097;

test('load balancers and storages of a suspended client stop and come back with all that they had', async () => {
  const its = asVictim(server);
  const backend = http.createServer((_request, response) => response.end('hello'));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
  const { port } = backend.address() as AddressInfo;
  const operate = (verb: string, body?: object) =>
    server.call('POST', `/virga/v1/clients/${CLIENT}/${verb}`, { as: 'operator', ...(body ? { body } : {}) });
  const suspend = (data_planes: string) => operate('suspend', { reason: 'Invoice 7', data_planes });

  const lbs = `/cloud/v1/loadbalancers/${CLIENT}/1`;
  const task = await its.ended(await its.call('POST', lbs, { body: webBalancer(PORT, [port], {}) }));
  const id = String(task.created_resources?.loadbalancers?.[0]);
  const { vip_address: vip } = (await its.call('GET', `${lbs}/${id}`)).body;
  const answer = async () =>
    (await fetch(`http://${vip}:${PORT}/`, { headers: { connection: 'close' } })).text();
  await waitUntil(async () => (await answer().catch(() => '')) === 'hello', { what: 'the load balancer' });
  const storage = await its.call('POST', '/storage/v4/sftp_storages', {
    body: { location_name: 'here', name: 'kept', password_mode: 'auto' },
  });
  const { address, full_name: username, password } = storage.body;
  const files = await connectSftp({ address, username, password });
  await files.write('/note.txt', 'kept');
  const ended = files.ended;
  const home = path.join(server.dataDir, 'regions', '1', 'sftp-storage', `storage-${storage.body.id}`);
  const pid = () => Number(readFileSync(path.join(home, 'server.pid'), 'utf8'));

  await suspend('running');
  expect(await answer()).toBe('hello');
  expect(await files.read('/note.txt')).toBe('kept');

  await suspend('stopped');
  await waitUntil(
    () =>
      answer().then(
        () => false,
        () => true,
      ),
    { what: 'the load balancer to serve nobody' },
  );
  await ended;
  await expect(connectSftp({ address, username, password })).rejects.toThrow();
  expect(existsSync(path.join(home, 'data', 'note.txt'))).toBe(true);

  await operate('resume');
  await waitUntil(async () => (await answer().catch(() => '')) === 'hello', {
    what: 'the load balancer to serve again',
  });
  await waitUntil(() => existsSync(path.join(home, 'server.pid')) && pid() > 0, { what: 'the storage' });
  const again = await waitUntil(() => connectSftp({ address, username, password }), {
    what: 'the storage to serve again',
  });
  expect(await again.read('/note.txt')).toBe('kept');
  again.end();
  expect((await its.call('GET', `${lbs}/${id}`)).body).toMatchObject({ admin_state_up: true });
  backend.close();
  backend.closeAllConnections();
});
