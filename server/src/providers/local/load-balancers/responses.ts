import type { CountedResponses } from '../../../features/load-balancers/port.ts';
import type { StatLine } from './show-stat.ts';

const CODES = ['2xx', '3xx', '4xx', '5xx', 'other'] as const;

/** What of one process was last read: of frontends by code, of servers in all. */
interface Reading {
  readonly codes: Readonly<Record<(typeof CODES)[number], number>>;
  readonly servers: ReadonlyMap<string, number>;
}

/** Counts the responses of one load balancer over all of its HAProxy processes. It begins anew with the server: who
 *  compares two readings leaves out a fall. */
export class ResponseMeter {
  readonly #codes = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 };
  readonly #last = new Map<string, Reading>();
  #timed = 0;
  #milliseconds = 0;

  /** Records what one process says of its frontends and servers now. HAProxy gives the response time as an average of
   *  some hundred last responses of a server: each that is new counts as one of that average. */
  record(process: string, lines: readonly StatLine[]): void {
    const before = this.#last.get(process);
    const codes = { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0, other: 0 };
    const servers = new Map<string, number>();
    for (const { proxy, service, responses, responseMs } of lines) {
      if (service === 'FRONTEND') {
        for (const code of CODES) codes[code] += responses[code];
        continue;
      }
      const name = `${proxy}/${service}`;
      const all = CODES.reduce((sum, code) => sum + responses[code], 0);
      servers.set(name, all);
      const more = growth(before?.servers.get(name), all);
      this.#timed += more;
      this.#milliseconds += more * responseMs;
    }
    for (const code of CODES) this.#codes[code] += growth(before?.codes[code], codes[code]);
    this.#last.set(process, { codes, servers });
  }

  /** Processes other than these have ended. */
  keepOnly(processes: ReadonlySet<string>): void {
    for (const process of this.#last.keys()) if (!processes.has(process)) this.#last.delete(process);
  }

  read(): CountedResponses {
    return { ...this.#codes, timed: this.#timed, milliseconds: this.#milliseconds };
  }
}

/** A member that left and came back counts from nothing. */
const growth = (before: number | undefined, now: number) =>
  before === undefined || now < before ? now : now - before;
