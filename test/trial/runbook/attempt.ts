import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../harness/wait.ts';
import type { Caller } from '../caller.ts';
import type { Lab } from '../lab.ts';

/** What one entry of the runbook is tried with. */

export interface Entry {
  /** Its heading in docs/runbook.md. */
  readonly heading: string;
  /** What is done so that it is needed. */
  readonly fault: string;
  /** What should be raised. */
  readonly alerts: readonly string[];
  /** @returns what its commands did */
  try(attempt: Attempt): Promise<string>;
}

/** The load balancer of the trial, whose clients ask all the while. */
export interface Web {
  readonly id: string;
  readonly url: string;
}

/** So long an alert may take to be raised. */
const LONGEST_MS = 90_000;
const EVERY_MS = 250;

export class Attempt {
  readonly lab: Lab;
  readonly as: Caller;
  readonly web: Web;
  /** `noun verb` of what was run. */
  readonly commands = new Set<string>();
  readonly raised = new Set<string>();
  recoveredMs: number | undefined;
  readonly #expected: readonly string[];

  /** @param as the client of the first run */
  constructor(lab: Lab, as: Caller, web: Web, expected: readonly string[]) {
    this.lab = lab;
    this.as = as;
    this.web = web;
    this.#expected = expected;
  }

  /** Waits until what should be raised is. What is not is missing in the table. */
  async alerts(): Promise<void> {
    const deadline = performance.now() + LONGEST_MS;
    while (performance.now() < deadline && this.raised.size < this.#expected.length) {
      const firing = await this.lab.prometheus.firing();
      for (const name of this.#expected) if (firing.has(name)) this.raised.add(name);
      await delay(EVERY_MS);
    }
  }

  /** Waits until an alert is no longer raised, and counts from now. */
  gone(alert: string): Promise<void> {
    return this.recovered(`${alert} to go`, async () => !(await this.lab.prometheus.firing()).has(alert));
  }

  /** Runs a command of the entry.
   *  @param words as they are typed, with quotes around those that have spaces
   *  @param token whose; default: the operator's */
  virga(words: string, token?: string): Promise<string> {
    this.commands.add(words.split(' ').slice(0, 2).join(' '));
    const all = words.match(/"[^"]*"|\S+/g) ?? [];
    return this.lab.virga(
      all.map((word) => word.replaceAll('"', '')),
      token,
    );
  }

  /** Asks the database of the cloud, as an entry says.
   *  @param database another one of the same PostgreSQL
   *  @returns a line for each row */
  async psql(text: string, database = 'virga'): Promise<readonly string[]> {
    const url = new URL(database, this.lab.databaseUrl());
    const out = await this.lab.shell(['psql', url.href, '-Atc', text]);
    return out.split('\n').filter(Boolean);
  }

  /** From what the entry says was done, until all is as it should be. */
  async recovered(what: string, check: () => Promise<unknown>): Promise<void> {
    const since = performance.now();
    await waitUntil(check, { what, intervalMs: 50 });
    this.recoveredMs = performance.now() - since;
  }

  /** A change goes through, from the call to the end of its task. */
  async works(): Promise<boolean> {
    const name = `works-${Date.now()}`;
    const answer = await this.as.call('POST', '/cloud/v1/loadbalancers/1/2', { name });
    if (answer.status !== 200) return false;
    return (await this.as.ended(answer)).state === 'FINISHED';
  }

  /** Whether a load balancer answers.
   *  @param url default: that of the trial */
  answers(url = this.web.url): Promise<boolean> {
    return fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(1000) }).then(
      (response) => response.ok,
      () => false,
    );
  }
}
