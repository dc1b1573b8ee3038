import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findProgram } from '../../scripts/lib/system-packages.mjs';
import { waitUntil } from '../harness/wait.ts';

export interface ProxyPorts {
  readonly api: number;
  readonly nodes: readonly number[];
  readonly database: number;
  /** Lines of HAProxy's backend: where PostgreSQL may be, and how it is known where the primary is. */
  readonly postgres: string;
  /** Another address at which it stands before PostgreSQL. */
  readonly databaseAt?: string;
}

/** A replica that takes the place of the primary when somebody promotes it. */
export const promotedByHand = (primary: number, replica: number): string => `
  option pgsql-check user trial
  server primary 127.0.0.1:${primary} check on-marked-down shutdown-sessions on-marked-up shutdown-backup-sessions
  server replica 127.0.0.1:${replica} check backup`;

/** Patroni says on each machine whether its PostgreSQL is the primary, as in docs/scaling.md. */
export const namedByPatroni = (servers: ReadonlyMap<string, string>): string => `
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${[...servers].map(([name, address]) => `  server ${name} ${address}:5432 check port 8008`).join('\n')}`;

/** As in docs/operations.md. */
const configurationOf = ({ api, nodes, database, postgres, databaseAt }: ProxyPorts) => `
global
  maxconn 2000
defaults
  timeout connect 2s
  timeout check 1s
  default-server inter 500ms fall 2 rise 1
frontend api
  mode http
  bind 127.0.0.1:${api}
  timeout client 60s
  option forwardfor
  default_backend nodes
backend nodes
  mode http
  timeout server 90s
  option http-server-close
  option httpchk GET /readyz
  option redispatch
  retries 3
  retry-on conn-failure
${nodes.map((port, i) => `  server node${i + 1} 127.0.0.1:${port} check`).join('\n')}
frontend database
  mode tcp
  bind 127.0.0.1:${database}
${databaseAt ? `  bind ${databaseAt}:${database}` : ''}
  timeout client 1h
  default_backend postgres
backend postgres
  mode tcp
  timeout server 1h${postgres}
`;

/** A real HAProxy before the API nodes, and before PostgreSQL. */
export class ApiProxy {
  readonly #file: string;
  readonly #port: number;
  #child: ChildProcess | undefined;

  constructor(folder: string, ports: ProxyPorts) {
    this.#file = path.join(folder, 'haproxy.cfg');
    this.#port = ports.api;
    writeFileSync(this.#file, configurationOf(ports));
  }

  async start(): Promise<void> {
    const haproxy = findProgram('haproxy');
    if (!haproxy) throw new Error('the trial needs haproxy: apt-get install haproxy');
    this.#child = spawn(haproxy, ['-db', '-f', this.#file], { stdio: 'ignore' });
    const listens = () => fetch(`http://127.0.0.1:${this.#port}/`).then(() => true);
    await waitUntil(listens, { what: 'the proxy to listen' });
  }

  async freeze(ms: number): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await delay(ms);
    this.#child?.kill('SIGCONT');
  }

  async end(name: NodeJS.Signals): Promise<void> {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(name);
    await ended;
  }
}
