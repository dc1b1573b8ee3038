import { Agent, type RequestOptions, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';

/** What a load saw. */
export interface Seen {
  readonly requests: number;
  /** What went wrong, and how often. */
  readonly failures: ReadonlyMap<string, number>;
  /** Milliseconds of each request that succeeded, in ascending order. */
  readonly times: readonly number[];
}

export interface Site {
  readonly plain: string;
  readonly secure: string;
}

const PATIENCE_MS = 10_000;
/** Clients wait this long between requests: the machine shall not be full, or everything would be slow. */
const PAUSE_MS = 2;
const CLIENTS_OF_A_KIND = 2;

/** Clients of each kind that ask one request after the other until stopped: over HTTP and HTTPS, over
 *  connections that they keep and over a new one each time. */
export class Load {
  readonly #site: Site;
  readonly #failures = new Map<string, number>();
  readonly #times: number[] = [];
  readonly #agents: Agent[] = [];
  readonly #clients: Promise<void>[] = [];
  #requests = 0;
  #running = true;

  constructor(site: Site) {
    this.#site = site;
    for (const url of [site.plain, site.secure]) {
      for (const keepAlive of [true, false]) {
        for (let count = 0; count < CLIENTS_OF_A_KIND; count += 1) {
          this.#clients.push(this.#client(url, keepAlive));
        }
      }
    }
  }

  async stop(): Promise<Seen> {
    this.#running = false;
    await Promise.all(this.#clients);
    for (const agent of this.#agents) agent.destroy();
    const times = this.#times.sort((a, b) => a - b);
    return { requests: this.#requests, failures: this.#failures, times };
  }

  async #client(url: string, keepAlive: boolean): Promise<void> {
    const Kind = url === this.#site.secure ? SecureAgent : Agent;
    const agent = keepAlive ? new Kind({ keepAlive: true, maxSockets: 1 }) : undefined;
    if (agent) this.#agents.push(agent);
    const kind = `${new URL(url).protocol.slice(0, -1)} ${keepAlive ? 'kept' : 'new'} connection`;
    while (this.#running) {
      this.#requests += 1;
      const begin = performance.now();
      try {
        await ask(url, agent ? { agent } : { agent: false });
        this.#times.push(performance.now() - begin);
      } catch (error) {
        const what = `${kind}: ${error instanceof Error ? error.message : error}`;
        this.#failures.set(what, (this.#failures.get(what) ?? 0) + 1);
      }
      await delay(PAUSE_MS);
    }
  }
}

/** One request; anything but a whole answer of a member is an error. */
function ask(url: string, options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const secure = url.startsWith('https:');
    const settings = { ...options, timeout: PATIENCE_MS, ...(secure ? { rejectUnauthorized: false } : {}) };
    const outgoing = (secure ? secureRequest : request)(url, settings, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        else if (body !== ANSWER) reject(new Error(`${body.length} bytes instead of ${ANSWER.length}`));
        else resolve();
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** What every member answers. */
export const ANSWER = 'x'.repeat(2048);

/** Several looks at the same load as one. */
export function together(seen: readonly Seen[]): Seen {
  const failures = new Map<string, number>();
  for (const each of seen) {
    for (const [what, count] of each.failures) failures.set(what, (failures.get(what) ?? 0) + count);
  }
  return {
    requests: seen.reduce((sum, { requests }) => sum + requests, 0),
    failures,
    times: seen.flatMap(({ times }) => times).sort((a, b) => a - b),
  };
}

/** Milliseconds below which this part of all requests was answered. */
export const quantile = ({ times }: Seen, part: number): number =>
  times[Math.min(Math.floor(times.length * part), times.length - 1)] ?? 0;
