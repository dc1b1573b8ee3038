import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import type { Schemas } from '../../../client/src/index.ts';
import { Context, type Globals } from '../context.ts';
import { UsageError } from '../failures.ts';
import { addGlobals, addOperation, type Fields, gathering } from '../operation-command.ts';
import { operation } from '../operations.ts';
import { cellOf, type Look, printable } from '../output/cells.ts';
import { lookUp, pathOf } from '../run-operation.ts';
import type { Terminal } from '../terminal.ts';

const several = (flags: string, means: string): Option => {
  const option = new Option(flags, means);
  return option.argParser(gathering(option));
};

/** `lb create web --listen http:80 --member 127.0.0.1:9001 --check /`, and `lb watch web`. */
export function addLoadBalancerHelpers(noun: Command, terminal: Terminal): void {
  addOperation(noun, operation('createLoadBalancer'), terminal, {
    options: [
      several(
        '--listen <protocol:port>',
        'http:80, https:443 with --certificate, tcp:5432 or udp:53; repeat it for more',
      ),
      several('--member <address:port>', 'a server behind it; repeat it for more'),
      new Option('--check <path>', 'how members are checked: a path, which must answer 200; or tcp'),
      new Option('--certificate <id-or-name>', 'the secret with the certificate, for https'),
    ],
    body: async (options, context) => ({ ...(await listenersOf(options, context)) }),
  });
  const row = operation('getLoadBalancerStatus');
  const watch = noun
    .command('watch')
    .description('Show the parts of a load balancer with their health, until Ctrl-C')
    .argument('<load-balancer>')
    .addOption(
      new Option('--until <status>', 'end as soon as the load balancer is so, such as ONLINE or DEGRADED'),
    );
  addGlobals(watch, row);
  watch.action((name: string, options: Globals & { readonly until?: string }) =>
    watchLoadBalancer(name, options.until, new Context(terminal, options)),
  );
}

const PROTOCOLS: Readonly<Record<string, { readonly listener: string; readonly pool: string }>> = {
  http: { listener: 'HTTP', pool: 'HTTP' },
  https: { listener: 'TERMINATED_HTTPS', pool: 'HTTP' },
  tcp: { listener: 'TCP', pool: 'TCP' },
  udp: { listener: 'UDP', pool: 'UDP' },
};
/** Soon enough for a person who looks on: two checks that fail. */
const CHECK = { delay: 2, timeout: 1, max_retries: 2, max_retries_down: 2 };

async function listenersOf(options: Fields, context: Context): Promise<Fields> {
  const {
    listen,
    member = [],
    check,
    certificate,
  } = options as {
    listen?: readonly string[];
    member?: readonly string[];
    check?: string;
    certificate?: string;
  };
  if (!listen) {
    if (member.length > 0 || check !== undefined)
      throw new UsageError('--listen is needed with --member and --check: --listen http:80');
    return {};
  }
  const faults: string[] = [];
  const protocols = listen.map((text) => faultOr(() => protocolOf(text), faults));
  const members = member.map((text) => faultOr(() => addressOf(text), faults));
  const healthmonitor = check === undefined ? undefined : faultOr(() => checkOf(check), faults);
  if (faults.length > 0) throw new UsageError(faults.join('\n'));
  const secret = certificate && (await secretOf(certificate, context));
  const listeners = protocols.map(({ name, protocol, port }) => ({
    name,
    protocol: protocol.listener,
    protocol_port: port,
    ...(protocol.listener === 'TERMINATED_HTTPS' && secret && { secret_id: secret }),
    pools: [
      {
        name,
        protocol: protocol.pool,
        lb_algorithm: 'ROUND_ROBIN',
        members,
        ...(healthmonitor !== undefined && { healthmonitor }),
      },
    ],
  }));
  return { listeners };
}

/** What a text means; when it is wrong, nothing that may be used, and one fault more. */
function faultOr<T>(read: () => T, faults: string[]): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    faults.push(error.message);
    return undefined as T;
  }
}

/** `http:80`. */
function protocolOf(text: string) {
  const [word = '', port = ''] = text.split(':');
  const protocol = PROTOCOLS[word.toLowerCase()];
  if (!protocol || !/^\d+$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    throw new UsageError(
      `--listen must be such as http:80 (${Object.keys(PROTOCOLS).join(', ')}), not "${text}"`,
    );
  return { name: `${word.toLowerCase()}-${port}`, protocol, port: Number(port) };
}

async function secretOf(name: string, context: Context): Promise<string | number> {
  const connection = context.connect();
  return lookUp('listSecrets', name, connection, context.globals, {});
}

/** `127.0.0.1:9001` or `[::1]:9001`. */
function addressOf(text: string): { address: string; protocol_port: number } {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text) ?? [];
  const address = v6 ?? v4;
  if (address === undefined) throw new UsageError(`--member must be such as 127.0.0.1:9001, not "${text}"`);
  return { address, protocol_port: Number(port) };
}

function checkOf(check: string): Fields {
  if (check.toLowerCase() === 'tcp') return { ...CHECK, type: 'TCP' };
  if (!check.startsWith('/')) throw new UsageError(`--check must be a path such as / or tcp, not "${check}"`);
  return { ...CHECK, type: 'HTTP', url_path: check, http_method: 'GET', expected_codes: '200' };
}

const LOOK_EVERY_MS = 1_000;

async function watchLoadBalancer(name: string, until: string | undefined, context: Context): Promise<void> {
  const row = operation('getLoadBalancerStatus');
  const connection = context.connect();
  const path = await pathOf(row, [name], connection, context);
  const ending = new AbortController();
  const stopListening = context.terminal.onInterrupt(() => ending.abort());
  const picture = context.terminal.live();
  try {
    while (!ending.signal.aborted) {
      const status = (await connection.client.call('GET', row.path, {
        path,
      })) as Schemas['LoadBalancerStatus'];
      picture.show(treeOf(status, context.terminal.look).join('\n'));
      if (status.operating_status === until?.toUpperCase()) return;
      await delay(LOOK_EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
    }
  } finally {
    picture.end();
    stopListening();
  }
}

/** One line for each part, below what it is a part of. */
function treeOf(
  { name, operating_status, listeners }: Schemas['LoadBalancerStatus'],
  look: Look,
): readonly string[] {
  const line = (depth: number, text: string, status: string) =>
    `${'  '.repeat(depth)}${printable(text)}  ${cellOf('status', status, look)}`;
  return [
    line(0, name, operating_status),
    ...listeners.flatMap((listener) => [
      line(1, `listener ${listener.name}`, listener.operating_status),
      ...listener.pools.flatMap((pool) => [
        line(2, `pool ${pool.name}`, pool.operating_status),
        ...pool.members.map((each) =>
          line(3, `${each.address}:${each.protocol_port}`, each.operating_status),
        ),
      ]),
    ]),
  ];
}
