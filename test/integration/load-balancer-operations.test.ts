import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { connectionCeiling } from '../../server/src/providers/local/host/programs.ts';
import { sharedBackend } from '../../server/src/providers/local/load-balancers/test-support/backend.ts';
import { startLoad } from '../../server/src/providers/local/load-balancers/test-support/client.ts';
import { webBalancer } from '../harness/balancer.ts';
import { finished } from '../harness/project.ts';
import { startLocalServer } from '../harness/regions.ts';
import { shared } from '../harness/shared.ts';
import { waitUntil } from '../harness/wait.ts';

/** Resize and failover of a load balancer that carries traffic, through the API and a real HAProxy. */

const LBS = '/cloud/v1/loadbalancers/1/1';
const PORT = 8088;

const server = shared(startLocalServer);
const members = [sharedBackend('one'), sharedBackend('two')];

const body = () =>
  webBalancer(
    PORT,
    members.map(({ port }) => port),
  );

interface HaproxyProcess {
  readonly pid: number;
  readonly threads: number;
  readonly config: string;
}

/** HAProxy processes that serve the load balancer. */
function haproxiesOf(id: string): HaproxyProcess[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const words = readFileSync(path.join('/proc', pid, 'cmdline'), 'utf8').split('\0');
      const file = words[words.indexOf('-f') + 1] ?? '';
      if (!words[0]?.endsWith('haproxy') || !file.includes(id)) return [];
      const threads = readdirSync(path.join('/proc', pid, 'task')).length;
      return [{ pid: Number(pid), threads, config: readFileSync(file, 'utf8') }];
    } catch {
      return [];
    }
  });
}

const maxconn = ({ config }: HaproxyProcess) => Number(/^ {2}maxconn (\d+)$/m.exec(config)?.[1]);

/** The one process that serves it, once its predecessors have ended. */
const only = (id: string): Promise<HaproxyProcess> =>
  waitUntil(
    () => {
      const [first, ...others] = haproxiesOf(id);
      return others.length === 0 ? first : undefined;
    },
    { what: 'a single process' },
  );

test('a resize and a failover under load lose no request, kept connections or not', async () => {
  const created = await server.ended(await server.call('POST', LBS, { body: body() }));
  expect(created).toMatchObject({ state: 'FINISHED', error: null });
  const id = String(created.created_resources?.loadbalancers?.[0]);
  const operate = async (what: string, input: object) =>
    server.ended(await server.call('POST', `${LBS}/${id}/${what}`, { body: input }));
  const { vip_address } = (await server.call('GET', `${LBS}/${id}`)).body;
  const small = await only(id);
  expect(small.threads).toBe(1);
  expect(maxconn(small)).toBe(Math.min(8192, connectionCeiling()));

  const load = startLoad(`http://${vip_address}:${PORT}/`);
  const seen = () => members.reduce((sum, { requests }) => sum + requests.length, 0);
  const flowing = (more: number) => {
    const before = seen();
    return waitUntil(() => seen() >= before + more, { what: 'traffic' });
  };
  await flowing(50);
  expect(await operate('resize', { flavor: 'lb1-2-4' })).toMatchObject({ state: 'FINISHED' });
  await flowing(50);
  const large = await only(id);
  expect(await operate('failover', {})).toMatchObject({
    task_type: 'failover_loadbalancer',
    state: 'FINISHED',
  });
  await flowing(50);
  const other = await only(id);
  expect(await operate('resize', { flavor: 'lb1-1-2' })).toMatchObject({ state: 'FINISHED' });
  await flowing(50);
  const { failures, requests } = await load.stop();

  expect(failures).toEqual([]);
  expect(requests).toBeGreaterThan(200);
  expect(large.threads).toBe(Math.min(2, availableParallelism()));
  expect(maxconn(large)).toBe(Math.min(16_384, connectionCeiling()));
  expect(new Set([small.pid, large.pid, other.pid]).size).toBe(3);
  expect((await only(id)).threads).toBe(1);
  expect((await server.call('GET', `${LBS}/${id}`)).body).toMatchObject({
    operating_status: 'ONLINE',
    provisioning_status: 'ACTIVE',
    flavor: { flavor_name: 'lb1-1-2' },
  });
  await finished(server, server.call('DELETE', `${LBS}/${id}`));
});
