import { execFile, execFileSync } from 'node:child_process';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewRegion } from '../../server/src/features/regions/index.ts';
import { findProgram } from '../../server/src/kernel/find-program.ts';
import { ExternalAddresses } from '../../server/src/providers/local/addresses/external.ts';
import { webBalancer } from '../harness/balancer.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Addresses that others can reach: a client in another network namespace, which the test makes, is on the other end of
 *  a cable. */

const missing = ['ip', 'nsenter', 'python3'].find((name) => findProgram(name) === null);
const fault = process.getuid?.() === 0 ? missing && `${missing} is not installed` : 'it needs root';

const NAMESPACE = `virga-test-${process.pid}`;
const [HERE, THERE] = [`vga${process.pid}`, `vgb${process.pid}`];
const PORT = 8098;

const run = (...words: string[]) => execFileSync(words[0] ?? '', words.slice(1), { encoding: 'utf8' });
const there = (...words: string[]) => run('nsenter', `--net=/run/netns/${NAMESPACE}`, ...words);

/** What the client in the other namespace is answered. */
async function fetched(address: string): Promise<string> {
  const host = address.includes(':') ? `[${address}]` : address;
  const script = `fetch('http://${host}:${PORT}/', { signal: AbortSignal.timeout(5000) })
    .then((response) => response.text()).then((text) => process.stdout.write(text), () => process.exit(3))`;
  const words = [`--net=/run/netns/${NAMESPACE}`, process.execPath, '-e', script];
  return (await promisify(execFile)('nsenter', words)).stdout;
}

const onInterface = () => (networkInterfaces()[HERE] ?? []).map(({ cidr }) => cidr);

const region = (id: number, addresses: NewRegion['settings']['addresses']): NewRegion => ({
  id,
  display_name: `Here ${id}`,
  slug: `here-${id}`,
  state: 'ACTIVE',
  provider: 'local',
  settings: { addresses: addresses ?? [] },
});

describe.skipIf(fault !== undefined)(
  `addresses that others can reach${fault ? `: skipped, ${fault}` : ''}`,
  () => {
    let server: TestServer;
    let backend: http.Server;

    beforeAll(async () => {
      run('ip', 'netns', 'add', NAMESPACE);
      run('ip', 'link', 'add', HERE, 'type', 'veth', 'peer', 'name', THERE, 'netns', NAMESPACE);
      run('ip', 'addr', 'add', '198.51.100.1/24', 'dev', HERE);
      run('ip', '-6', 'addr', 'add', '2001:db8:77::1/64', 'dev', HERE, 'nodad');
      run('ip', 'link', 'set', HERE, 'up');
      there('ip', 'addr', 'add', '198.51.100.2/24', 'dev', THERE);
      there('ip', '-6', 'addr', 'add', '2001:db8:77::2/64', 'dev', THERE, 'nodad');
      there('ip', 'link', 'set', THERE, 'up');
      // An entry that is younger than a second would not be changed.
      there('sh', '-c', `echo 0 > /proc/sys/net/ipv4/neigh/${THERE}/locktime`);
      // As a server leaves it that was killed.
      run('ip', 'addr', 'add', '198.51.100.45/32', 'dev', HERE);
      backend = http.createServer((_request, response) => response.end('hello'));
      await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
      server = await startTestServer({
        regions: [
          region(1, [
            { range: '198.51.100.32/28', interface: HERE, exclude: ['198.51.100.33'] },
            { range: '2001:db8:77::100/120', interface: HERE },
          ]),
          region(2, [{ range: '198.51.100.64/28', interface: HERE }]),
          region(4, [{ range: '198.51.100.0/28', interface: HERE }]),
        ],
      });
    });

    afterAll(async () => {
      await server?.close();
      backend?.close();
      backend?.closeAllConnections();
      execFileSync('ip', ['link', 'del', HERE]);
      execFileSync('ip', ['netns', 'del', NAMESPACE]);
    });

    const create = async (regionId: number, more: object = {}) => {
      const { port } = backend.address() as AddressInfo;
      const lbs = `/cloud/v1/loadbalancers/1/${regionId}`;
      const task = await server.ended(
        await server.call('POST', lbs, { body: { ...webBalancer(PORT, [port], {}), ...more } }),
      );
      expect([task.error, task.state]).toEqual([null, 'FINISHED']);
      const path = `${lbs}/${task.created_resources?.loadbalancers?.[0]}`;
      return { path, ...(await server.call('GET', path)).body };
    };

    test('clients elsewhere reach a load balancer, whose address goes with it', async () => {
      const made = await create(1);
      expect(made.vip_address).toBe('198.51.100.34');
      expect(await fetched(made.vip_address)).toBe('hello');
      // What a killed server had left went before.
      expect(onInterface()).not.toContain('198.51.100.45/32');

      // Neighbours that know it elsewhere learn where it is: it was taken away, and comes back within a second.
      const mac = networkInterfaces()[HERE]?.[0]?.mac ?? '';
      there(
        'ip',
        'neigh',
        'replace',
        made.vip_address,
        'lladdr',
        '02:00:00:00:00:77',
        'dev',
        THERE,
        'nud',
        'stale',
      );
      run('ip', 'addr', 'del', `${made.vip_address}/32`, 'dev', HERE);
      await waitUntil(() => there('ip', 'neigh', 'show', made.vip_address).includes(mac), {
        what: 'the neighbour to learn where the address is',
      });
      expect(await fetched(made.vip_address)).toBe('hello');

      await server.ended(await server.call('DELETE', made.path));
      expect(onInterface()).not.toContain(`${made.vip_address}/32`);
    });

    test('floating IPs and reserved addresses are of the ranges, too', async () => {
      const made = await create(1);
      const fips = '/cloud/v1/floatingips/1/1';
      const task = await server.ended(
        await server.call('POST', fips, { body: { port_id: made.vip_port_id } }),
      );
      const fip = (await server.call('GET', `${fips}/${task.created_resources?.floatingips?.[0]}`)).body;
      expect(fip.floating_ip_address).toMatch(/^198\.51\.100\.(3[4-9]|4[0-6])$/);
      expect(await fetched(fip.floating_ip_address)).toBe('hello');
      await server.ended(await server.call('DELETE', `${fips}/${fip.id}`));
      expect(onInterface()).not.toContain(`${fip.floating_ip_address}/32`);
      const reserved = await server.ended(
        await server.call('POST', '/cloud/v1/reserved_fixed_ips/1/1', { body: { type: 'external' } }),
      );
      const port = reserved.created_resources?.ports?.[0];
      const ip = (await server.call('GET', `/cloud/v1/reserved_fixed_ips/1/1/${port}`)).body;
      expect(ip.fixed_ip_address).toMatch(/^198\.51\.100\.(3[4-9]|4[0-6])$/);
      await server.ended(await server.call('DELETE', made.path));
    });

    test('with both versions it is reached by both', async () => {
      const made = await create(1, { vip_ip_family: 'dual' });
      const six = made.additional_vips[0].ip_address;
      expect(six).toMatch(/^2001:db8:77::1[0-9a-f]{2}$/);
      expect([await fetched(made.vip_address), await fetched(six)]).toEqual(['hello', 'hello']);
      await server.ended(await server.call('DELETE', made.path));
      expect(onInterface()).not.toContain(`${six}/128`);
    });

    test('a second region of the machine has its own range', async () => {
      const made = await create(2);
      expect(made.vip_address).toBe('198.51.100.65');
      expect(await fetched(made.vip_address)).toBe('hello');
    });

    test('an excluded range is left out as a whole, however large it is', () => {
      const pool = { range: '2001:db8:99::/48', interface: HERE, exclude: ['2001:db8:99::/49'] };
      const addresses = new ExternalAddresses([pool], { warn: () => undefined });
      expect(addresses.free(6, () => false)).toBe('2001:db8:99:8000::');
    });

    test("a range that has an address of the machine's own is refused, with what to do", async () => {
      const refused = await server.call('POST', '/cloud/v1/loadbalancers/1/4', {
        body: webBalancer(PORT, [1], {}),
      });
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain(
        `198.51.100.0/28 contains 198.51.100.1, which this machine has on ${HERE}: exclude it`,
      );
    });
  },
);
