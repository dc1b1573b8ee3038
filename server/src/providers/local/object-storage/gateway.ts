import { existsSync, rmSync } from 'node:fs';
import type { DesiredStorage } from '../../../features/object-storage/port.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { readText } from '../../../kernel/files.ts';
import { findProcess, type ProcessIdentity, terminate } from '../../../kernel/processes.ts';
import { makeFileOfEngine, writeForEngine } from '../host/files.ts';
import { startLogWriter } from '../host/log-writer.ts';
import { findProgram, run } from '../host/programs.ts';
import { quote } from '../host/quoting.ts';
import type { Running } from './next.ts';
import type { Paths } from './paths.ts';

export const PORT = 9000;
const STOP_MS = 3_000;

/** Where clients come. */
export interface At {
  readonly address: string;
  /** null: without TLS. */
  readonly tls: DesiredStorage['tls'];
}

const pemOf = ({ tls }: At): string | null => tls && `${tls.certificate}${tls.privateKey}`;

/** HAProxy before an S3 server. The server's own log does not say how much a download has sent; this one's does. */
export class Gateway {
  readonly #paths: Paths;

  constructor(paths: Paths) {
    this.#paths = paths;
  }

  /** One that came up although its start was killed is named by no pid file. */
  running(): ProcessIdentity | null {
    const { gatewayPid, gatewayConf } = this.#paths;
    const pid = Number(readText(gatewayPid)?.trim().split('\n').at(-1));
    return findProcess(pid, (words) => words.includes(gatewayConf));
  }

  observe(at: At): Running {
    if (this.running() === null) return 'none';
    const { gatewayConf, gatewayPem } = this.#paths;
    const isCurrent = readText(gatewayConf) === render(this.#paths, at) && readText(gatewayPem) === pemOf(at);
    return isCurrent ? 'current' : 'other';
  }

  /** Starts it, in the place of one that runs.
   *  @throws TaskFailed when the address cannot be used */
  async start(at: At): Promise<void> {
    const { gatewayPid, gatewayConf, gatewayPem, home, socket, traffic } = this.#paths;
    const conf = render(this.#paths, at);
    const pem = pemOf(at);
    await this.stop();
    const program = findProgram('haproxy');
    if (program === null) throw new TaskFailed('HAProxy is not installed on this machine');
    if (pem === null) rmSync(gatewayPem, { force: true });
    else writeForEngine(gatewayPem, pem, home);
    writeForEngine(gatewayConf, conf, home);
    makeFileOfEngine(gatewayPid, home);
    const log = startLogWriter(traffic, home);
    try {
      const words = ['-D', '-p', gatewayPid, '-f', gatewayConf];
      const { exitCode, output } = await run(program, words, { home, paths: [socket], inherited: log });
      if (exitCode !== 0)
        throw new TaskFailed(`Port ${PORT} of ${at.address} cannot be used: ${output.trim().slice(-300)}`);
    } finally {
      log.destroy();
    }
  }

  /** Ends it. Without a configuration nothing was started since it was ended, and no process is looked for: what is
   *  paused is ended at each look. */
  async stop(): Promise<void> {
    const { gatewayConf } = this.#paths;
    if (!existsSync(gatewayConf)) return;
    for (let running = this.running(); running !== null; running = this.running())
      await terminate(running, STOP_MS);
    rmSync(gatewayConf, { force: true });
  }
}

/** What a line of the log has: bytes from the client, bytes to it, the status, the method, the path. */
const LINE = '%U %B %ST %HM %HP';

function render({ socket, gatewayPem }: Paths, { address, tls }: At): string {
  const security = tls ? ` ssl crt ${quote(gatewayPem)} ssl-min-ver TLSv1.2 alpn http/1.1` : '';
  return [
    'global',
    '  maxconn 2000',
    '  nbthread 1',
    '  log fd@3 len 4000 format raw local0',
    'defaults',
    '  mode http',
    '  log global',
    '  option http-keep-alive',
    '  option idle-close-on-response',
    '  option dontlognull',
    '  option forwardfor',
    '  timeout connect 5s',
    '  timeout client 5m',
    '  timeout server 5m',
    'frontend clients',
    `  bind ${address}:${PORT}${security}`,
    `  log-format ${quote(LINE)}`,
    '  default_backend storage',
    'backend storage',
    `  server s3 ${quote(`unix@${socket}`)}`,
    '',
  ].join('\n');
}
