import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewRegion } from '../../server/src/features/regions/index.ts';
import { ExternalAddresses } from '../../server/src/providers/local/addresses/external.ts';
import { webBalancer } from '../harness/balancer.ts';
import { type Cable, cableFault, newCable, run } from '../harness/cable.ts';
import { outputOf, processesWith } from '../harness/process.ts';
import { everybodyCanRead } from '../harness/readable.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';
import { waitUntil } from '../harness/wait.ts';

/** Addresses that others can reach: a client in another network namespace, which the test makes, is on the other end of
 *  a cable. */

const fault = cableFault();
const PORT = 8098;
const LOAD_BALANCERS = path.join(import.meta.dirname, '../../server/src/providers/local/load-balancers');

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
    let cable: Cable;

    /** What the client in the other namespace is answered. */
    const fetched = (address: string, port = PORT) => {
      const host = address.includes(':') ? `[${address}]` : address;
      return cable.script(`const response = await fetch('http://${host}:${port}/', { signal: AbortSignal.timeout(5000) });
        process.stdout.write(await response.text());`);
    };

    beforeAll(async () => {
      cable = newCable('198.51.100');
      // As a server leaves it that was killed.
      run('ip', 'addr', 'add', '198.51.100.45/32', 'dev', cable.here);
      backend = http.createServer((_request, response) => response.end('hello'));
      await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
      server = await startTestServer({
        regions: [
          region(1, [
            { range: '198.51.100.32/28', interface: cable.here, exclude: ['198.51.100.33'] },
            { range: '2001:db8:77::100/120', interface: cable.here },
          ]),
          region(2, [{ range: '198.51.100.64/28', interface: cable.here }]),
          region(4, [{ range: '198.51.100.0/28', interface: cable.here }]),
        ],
      });
    });

    afterAll(async () => {
      await server?.close();
      backend?.close();
      backend?.closeAllConnections();
      cable?.remove();
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
      expect(cable.addresses()).not.toContain('198.51.100.45/32');

      // Neighbours that know it elsewhere learn where it is: it was taken away, and comes back within a second.
      const mac = networkInterfaces()[cable.here]?.[0]?.mac ?? '';
      cable.inside(
        'ip',
        'neigh',
        'replace',
        made.vip_address,
        'lladdr',
        '02:00:00:00:00:77',
        'dev',
        cable.there,
        'nud',
        'stale',
      );
      run('ip', 'addr', 'del', `${made.vip_address}/32`, 'dev', cable.here);
      await waitUntil(() => cable.inside('ip', 'neigh', 'show', made.vip_address).includes(mac), {
        what: 'the neighbour to learn where the address is',
      });
      expect(await fetched(made.vip_address)).toBe('hello');

      await server.ended(await server.call('DELETE', made.path));
      expect(cable.addresses()).not.toContain(`${made.vip_address}/32`);
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
      expect(cable.addresses()).not.toContain(`${fip.floating_ip_address}/32`);
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
      expect(cable.addresses()).not.toContain(`${six}/128`);
    });

    test('a second region of the machine has its own range', async () => {
      const made = await create(2);
      expect(made.vip_address).toBe('198.51.100.65');
      expect(await fetched(made.vip_address)).toBe('hello');
    });

    test.runIf(everybodyCanRead(import.meta.dirname))(
      'CAP_NET_ADMIN alone suffices: addresses come, are announced and go, and engines get nothing of it',
      async () => {
        const { port } = backend.address() as AddressInfo;
        const mac = networkInterfaces()[cable.here]?.[0]?.mac ?? '';
        const knownElsewhere = (address: string) => {
          const words = ['lladdr', '02:00:00:00:00:77', 'dev', cable.there, 'nud', 'stale'];
          cable.inside('ip', 'neigh', 'replace', address, ...words);
        };
        for (const address of ['198.51.100.33', '2001:db8:77::101']) knownElsewhere(address);
        // Who talks to this machine is known to it.
        cable.inside('ping', '-c1', '2001:db8:77::1');
        const only = ['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=-all,+net_admin`);
        const script = path.join(LOAD_BALANCERS, 'test-support', 'with-net-admin.ts');
        const words = ['--reuid=65534', '--regid=65534', '--clear-groups', ...only, '--', process.execPath];
        const child = spawn('setpriv', [...words, '--import', 'tsx', script, cable.here, `${port}`], {
          env: { PATH: process.env.PATH ?? '', HOME: tmpdir() },
        });
        const ended = once(child, 'exit');
        const output = outputOf(child);
        await waitUntil(() => /^serves/m.exec(output()), { what: () => `it to serve: ${output()}` });
        expect(output()).toMatch(/^fault: null$/m);
        expect(output()).toMatch(/^serves 198\.51\.100\.33 2001:db8:77::101$/m);
        expect(output()).not.toContain('could not be announced');
        for (const address of ['198.51.100.33', '2001:db8:77::101']) {
          await waitUntil(() => cable.inside('ip', 'neigh', 'show', address).includes(mac), {
            what: `the neighbour to learn where ${address} is`,
          });
          expect(await fetched(address, 8080)).toBe('hello');
        }
        const rights = processesWith('/tmp/virga-lb-')
          .map((pid) => readFileSync(`/proc/${pid}/status`, 'utf8'))
          .filter((status) => /^Name:\thaproxy$/m.test(status) && /^Uid:\t65534/m.test(status))
          .map((status) => /^CapEff:\s+(\S+)/m.exec(status)?.[1]);
        expect(new Set(rights)).toEqual(new Set(['0000000000000000']));
        child.stdin.end();
        await ended;
        expect(output()).toMatch(/ended\n$/);
        expect(cable.addresses()).not.toContain('198.51.100.33/32');
        expect(cable.addresses()).not.toContain('2001:db8:77::101/128');
      },
    );

    test('an excluded range is left out as a whole, however large it is', () => {
      const pool = { range: '2001:db8:99::/48', interface: cable.here, exclude: ['2001:db8:99::/49'] };
      const addresses = new ExternalAddresses([pool], { warn: () => undefined });
      expect(addresses.free(6, () => false)).toBe('2001:db8:99:8000::');
    });

    test("a range that has an address of the machine's own is refused, with what to do", async () => {
      const refused = await server.call('POST', '/cloud/v1/loadbalancers/1/4', {
        body: webBalancer(PORT, [1], {}),
      });
      expect(refused.status).toBe(403);
      expect(refused.body.message).toContain(
        `198.51.100.0/28 contains 198.51.100.1, which this machine has on ${cable.here}: exclude it`,
      );
    });
  },
);
