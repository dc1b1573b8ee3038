import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { access, behind } from './cloud.ts';

/** Servers and clients in network namespaces, on ports of the cloud. */

const run = async (program: string, ...words: readonly string[]) =>
  (await promisify(execFile)(program, [...words], { timeout: 60_000 })).stdout;

export interface Guest {
  readonly address: string;
  /** Ends what it serves with. */
  kill(): void;
  close(): Promise<void>;
}

const SERVER = `
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
    def log_message(self, *words): pass
http.server.ThreadingHTTPServer(('', 8080), Handler).serve_forever()`;

/** A server on a port of the network of load balancers, which says its name on port 8080. */
export async function startGuest(name: string): Promise<Guest> {
  const subnet = access?.vip.subnet_id ?? '';
  const { network_id } = (await behind('network', 'GET', `/subnets/${subnet}`)).subnet;
  const { port } = await behind('network', 'POST', '/ports', {
    port: {
      name,
      network_id,
      fixed_ips: [{ subnet_id: subnet }],
      port_security_enabled: false,
      security_groups: [],
    },
  });
  const address = String(port.fixed_ips[0].ip_address);
  const namespace = `virga-${name}`;
  const device = `v${port.id.slice(0, 10)}`;
  const ovs = ['--timeout=30', `--db=${access?.switch}`];
  await run('ip', 'netns', 'add', namespace);
  await run(
    'ovs-vsctl',
    ...ovs,
    ...['add-port', 'br-int', device, '--', 'set', 'interface', device, 'type=internal'],
    `external_ids:iface-id=${port.id}`,
  );
  await run('ip', '-n', String(access?.namespace), 'link', 'set', device, 'netns', namespace);
  const ip = (...words: readonly string[]) => run('ip', '-n', namespace, ...words);
  await ip('link', 'set', 'lo', 'up');
  await ip('link', 'set', device, 'address', port.mac_address, 'mtu', '1400');
  await ip('address', 'add', `${address}/16`, 'dev', device);
  await ip('link', 'set', device, 'up');
  await ip('route', 'add', 'default', 'via', '10.78.0.1');
  const inside = ['netns', 'exec', namespace];
  await run('ip', ...inside, 'ethtool', '-K', device, 'tx', 'off');
  const server = spawn('ip', [...inside, 'python3', '-c', SERVER, name], { stdio: 'ignore' });
  return {
    address,
    kill: () => server.kill('SIGKILL'),
    async close() {
      server.kill('SIGKILL');
      await run('ovs-vsctl', ...ovs, '--if-exists', 'del-port', 'br-int', device);
      await run('ip', 'netns', 'del', namespace);
      await behind('network', 'DELETE', `/ports/${port.id}`);
    },
  };
}

/** What the world outside gets from an address; empty: no answer. */
export async function ask(url: string): Promise<string> {
  const words = ['netns', 'exec', String(access?.namespace), 'curl', '-s', '-m', '3', url];
  return run('ip', ...words).catch(() => '');
}
