import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { LogCollector } from '../access-logs/collector.ts';

/** A syslog message as a collector understands it (RFC 5424, 6). */
export interface Received {
  readonly priority: number;
  readonly time: string;
  readonly host: string;
  readonly appName: string;
  readonly data: ReadonlyMap<string, string>;
  readonly text: string;
}

export interface TestCollector {
  readonly collector: LogCollector;
  readonly received: Received[];
  /** Paths of the requests that were logged, in the order of their arrival. */
  paths(): string[];
  /** How many connections there have been. */
  connections(): number;
  /** Whether it reads what it is sent. */
  read(reads: boolean): void;
  /** Ends at once, with whatever it had not read. */
  close(): Promise<void>;
}

const HEADER = /^<(\d{1,3})>1 (\S+) (\S+) (\S+) (\S+) (\S+) /;
const PARAMETER = /^ ([^ ="\]]+)="((?:[^"\\\]]|\\["\\\]])*)"/;

/** @throws for what is no message of this form */
export function parseMessage(text: string): Received {
  const header = HEADER.exec(text);
  if (!header) throw new Error(`no syslog header: ${text}`);
  const [whole, priority, time = '', host = '', appName = ''] = header;
  let rest = text.slice(whole.length);
  const element = /^\[[^ \]="]+/.exec(rest)?.[0];
  if (!element) throw new Error(`no structured data: ${text}`);
  rest = rest.slice(element.length);
  const data = new Map<string, string>();
  for (let found = PARAMETER.exec(rest); found; found = PARAMETER.exec(rest)) {
    data.set(found[1] ?? '', (found[2] ?? '').replaceAll(/\\(["\\\]])/g, '$1'));
    rest = rest.slice(found[0].length);
  }
  if (!rest.startsWith('] ')) throw new Error(`structured data does not end: ${text}`);
  return { priority: Number(priority), time, host, appName, data, text: rest.slice(2) };
}

/** A collector over TCP with octet counting.
 *  @param port of one that was closed, to come back there */
export async function startTcpCollector(port = 0): Promise<TestCollector> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let reads = true;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      rest = parseFrames(Buffer.concat([rest, bytes]), received);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    if (!reads) socket.pause();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    collector: { transport: 'tcp', host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    received,
    paths: () => pathsOf(received),
    connections: () => connections,
    read: (now) => {
      reads = now;
      for (const socket of sockets) now ? socket.resume() : socket.pause();
    },
    close: async () => {
      for (const socket of sockets) socket.resetAndDestroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function startUdpCollector(): Promise<TestCollector> {
  const received: Received[] = [];
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4_000_000 });
  socket.on('message', (message) => received.push(parseMessage(message.toString('utf8'))));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject).bind(0, '127.0.0.1', resolve);
  });
  return {
    collector: { transport: 'udp', host: '127.0.0.1', port: socket.address().port },
    received,
    paths: () => pathsOf(received),
    connections: () => 0,
    read: () => undefined,
    close: () => new Promise<void>((resolve) => socket.close(resolve)),
  };
}

/** @returns what is not whole yet */
function parseFrames(bytes: Buffer, received: Received[]): Buffer {
  for (let rest = bytes; ; ) {
    const space = rest.indexOf(0x20);
    if (space === -1) return rest;
    const length = Number(rest.toString('latin1', 0, space));
    if (!Number.isInteger(length) || length < 1)
      throw new Error(`no length: ${rest.toString('latin1', 0, 40)}`);
    const end = space + 1 + length;
    if (rest.length < end) return rest;
    received.push(parseMessage(rest.toString('utf8', space + 1, end)));
    rest = rest.subarray(end);
  }
}

function pathsOf(received: readonly Received[]): string[] {
  return received.flatMap(({ text }) => /"[A-Z]+ (\S+) HTTP\/1\.1"$/.exec(text)?.[1] ?? []);
}
