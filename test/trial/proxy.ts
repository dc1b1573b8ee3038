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
  readonly primary: number;
  readonly replica: number;
  /** Another address at which it stands before PostgreSQL. */
  readonly databaseAt?: string;
}

/** As in docs/operations.md. */
const configurationOf = ({ api, nodes, database, primary, replica, databaseAt }: ProxyPorts) => `
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
  timeout server 1h
  option pgsql-check user trial
  server primary 127.0.0.1:${primary} check on-marked-down shutdown-sessions on-marked-up shutdown-backup-sessions
  server replica 127.0.0.1:${replica} check backup
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
    if (!this.#child || this.#child.exitCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill(name);
    await ended;
  }
}
