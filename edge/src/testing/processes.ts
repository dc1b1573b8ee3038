import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http, { type Server } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { waitUntil } from '../../../test/harness/wait.ts';
import type { VideoSettings } from '../settings.ts';

export interface Running {
  readonly port: number;
  stop(): Promise<void>;
}

/** Listens on a port of the system's choice. */
export async function listen(server: Server): Promise<Running> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Runs the real nginx with a configuration for inside of `http {}`.
 *  @param configure given the folder it may write to and the port it is to listen on */
export async function startNginx(
  configure: (runDir: string, port: number) => string,
  workers = 1,
): Promise<Running> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-nginx-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  writeFileSync(path.join(folder, 'edge.conf'), configure(folder, port));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const lines = [
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    `worker_processes ${workers};`,
    `error_log ${folder}/error.log notice;`,
    `pid ${folder}/nginx.pid;`,
    'daemon off;',
    'events { worker_connections 1024; }',
    'http {',
    '  access_log off;',
    '  keepalive_requests 1000000;',
    ...temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`),
    '  include edge.conf;',
    '}',
  ];
  writeFileSync(path.join(folder, 'nginx.conf'), `${lines.join('\n')}\n`);
  const child = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
  const stop = async () => {
    await end(child);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntil(
      () => {
        if (child.exitCode !== null) throw new Error(readFileSync(path.join(folder, 'error.log'), 'utf8'));
        return answers(port);
      },
      { what: 'nginx to listen' },
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, stop };
}

/** Ends the child and waits until it is gone. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

/** A port of 127.0.0.1 that nothing listens at. It is below the range from which connections are given theirs
 *  (32768 and above on Linux), so that no connection takes it before its caller listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    if (await canListen(port)) return port;
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.on('connect', () => socket.end(() => resolve(true))).on('error', () => resolve(false));
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the target as it stands: nothing in it is tidied up first. */
export function ask(
  port: number,
  target: string,
  { method = 'GET', headers = {} }: Ask = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port, path: target, method, headers, agent: false });
    sent.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.end();
  });
}

/** Settings of an edge, as tests need them. */
export function edgeSettings(
  overrides: Partial<Omit<VideoSettings, 'edge'>>,
  edge: Omit<VideoSettings['edge'], 'enabled' | 'host' | 'report'>,
): VideoSettings {
  return {
    accountId: '2675',
    secrets: ['MySecr3tStr1ng'],
    cdnUrl: 'http://cdn.test',
    cdnIpUrl: 'http://cdn-ip.test',
    trustedProxies: undefined,
    corsOrigins: undefined,
    authorizeUrl: undefined,
    ...overrides,
    edge: { ...edge, enabled: true, host: '127.0.0.1', report: undefined },
  };
}
