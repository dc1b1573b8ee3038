import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { rootFolder, stateFolder } from '../../scripts/openstack/place.mjs';
import { processesOf } from '../../scripts/openstack/processes.mjs';
import { waitUntil } from '../harness/wait.ts';
import { access, behind } from './calls.ts';

/** Servers and clients in network namespaces, on ports of the cloud. */

const run = async (program: string, ...words: readonly string[]) =>
  (await promisify(execFile)(program, [...words], { timeout: 60_000 })).stdout;

export interface Guest {
  readonly address: string;
  /** The process whose namespace it is in. */
  readonly pid: number;
  /** Ends what it serves with. */
  kill(): void;
  close(): Promise<void>;
}

const SERVER = `
import http.server, socket, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(sys.argv[1].encode())
    def log_message(self, *words): pass
class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ':' in sys.argv[2] else socket.AF_INET
Server((sys.argv[2], 8080), Handler).serve_forever()`;

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
  const guest = await startGuestOn(name, port, '10.78.0.1');
  return {
    address: guest.address,
    pid: guest.pid,
    kill: guest.kill,
    async close() {
      await guest.close();
      await behind('network', 'DELETE', `/ports/${port.id}`);
    },
  };
}

/** A port of the cloud. */
export interface Port {
  readonly id: string;
  readonly mac_address: string;
  readonly fixed_ips: readonly { readonly ip_address: string }[];
}

/** The same on a port that is there. */
export async function startGuestOn(name: string, port: Port, gateway: string): Promise<Guest> {
  const address = String(port.fixed_ips[0]?.ip_address);
  const device = `v${port.id.slice(0, 10)}`;
  const ovs = ['--timeout=30', `--db=${access?.switch}`];
  // A namespace without a name lives as long as what is in it.
  const keeper = spawn('unshare', ['--net', 'sleep', '3600'], { stdio: 'ignore' });
  const pid = Number(keeper.pid);
  await waitUntil(() => commandOf(pid) === 'sleep', { what: 'a namespace' });
  const inside = (...words: readonly string[]) => run('nsenter', '-t', String(pid), '-n', ...words);
  const words = ['add-port', 'br-int', device, '--', 'set', 'interface', device, 'type=internal'];
  await run('ovs-vsctl', ...ovs, ...words, `external_ids:iface-id=${port.id}`);
  await run('nsenter', '-t', switchPid(), '-n', 'ip', 'link', 'set', device, 'netns', String(pid));
  await inside('ip', 'link', 'set', 'lo', 'up');
  await inside('ip', 'link', 'set', device, 'address', port.mac_address, 'mtu', '1400');
  const isIpv6 = address.includes(':');
  const bits = isIpv6 ? 64 : gateway === '10.78.0.1' ? 16 : 24;
  await inside('ip', 'link', 'set', device, 'up');
  // Nobody else can have it: it need not be tried first.
  const settled = isIpv6 ? ['nodad'] : [];
  await inside('ip', 'address', 'add', `${address}/${bits}`, 'dev', device, ...settled);
  await inside('ip', 'route', 'add', 'default', 'via', gateway);
  await inside('ethtool', '-K', device, 'tx', 'off');
  const python = ['-t', String(pid), '-n', 'python3', '-c', SERVER, name, isIpv6 ? '::' : ''];
  const server = spawn('nsenter', python, { stdio: 'ignore' });
  return {
    address,
    pid,
    kill: () => server.kill('SIGKILL'),
    async close() {
      server.kill('SIGKILL');
      // First the port: the switch is busy for ever with one whose namespace is gone.
      await run('ovs-vsctl', ...ovs, '--if-exists', 'del-port', 'br-int', device);
      keeper.kill('SIGKILL');
    },
  };
}

const commandOf = (pid: number) => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

/** The process whose namespace has the switch, and the world outside. */
function switchPid(): string {
  const pid = processesOf(stateFolder(rootFolder())).find((each) => commandOf(each) === 'ovs-vswitchd');
  if (pid === undefined) throw new Error('the switch of OpenStack does not run');
  return String(pid);
}

/** What the world outside gets from an address; empty: no answer. */
export const ask = (url: string): Promise<string> => asked(switchPid(), url);

/** The same where a guest is. */
export const askWithin = ({ pid }: Guest, url: string): Promise<string> => asked(String(pid), url);

const asked = (pid: string, url: string): Promise<string> =>
  run('nsenter', '-t', pid, '-n', 'curl', '-g', '-s', '-m', '3', url).catch(() => '');
