import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addSshKeyCall } from '../harness/kubernetes.ts';
import { processesWith, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import type { Actor, Row } from './actors/actor.ts';
import { actors } from './actors/index.ts';
import { ChaosClient, Notes, type Truth } from './client.ts';
import { databaseFaults, type Query, queryOf, remains } from './database-faults.ts';
import { numbers } from './random.ts';

/** Many changes at once, and kills at random points of them: of the server, of PostgreSQL, of HAProxy. */

export interface ChaosOptions {
  readonly dataDir: string;
  readonly seed: number;
  readonly operations: number;
  readonly kills: number;
}

export interface ChaosResult {
  /** Tasks that were accepted, and the client heard of it. */
  readonly accepted: number;
  readonly kills: readonly string[];
  /** What is not as it should be; empty is good. */
  readonly faults: readonly string[];
}

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const run = new Chaos(options);
  await run.start();
  try {
    await run.storm();
    return await run.verdict();
  } finally {
    await run.stop();
  }
}

const PATIENCE_MS = 120_000;

class Chaos {
  readonly #options: ChaosOptions;
  readonly #random: () => number;
  readonly #notes = new Notes();
  readonly #kills: string[] = [];
  readonly #query: Query;
  #server: Promise<VirgaProcess>;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#random = numbers(options.seed);
    this.#query = queryOf(options.dataDir);
    this.#server = this.#launch();
    this.#server.catch(() => undefined);
  }

  #launch(): Promise<VirgaProcess> {
    return startVirga({
      dataDir: this.#options.dataDir,
      env: { VIRGA_TIME_SCALE: '0.01', VIRGA_RATE_LIMIT: '0', VIRGA_SEED: String(this.#options.seed) },
    });
  }

  async start(): Promise<void> {
    const { method, path: target, body } = addSshKeyCall;
    await (await this.#server).call(method, target, body);
  }

  async stop(): Promise<void> {
    const server = await this.#server.catch(() => undefined);
    await server?.end('SIGTERM');
  }

  /** Operations side by side, with kills in between. */
  async storm(): Promise<void> {
    const { operations, kills } = this.#options;
    const work = Array.from({ length: operations }, async (_, number) => {
      const actor = pick(actors, this.#random());
      const client = this.#client(number, this.#random() < 0.5);
      await delay(this.#random() * 3000);
      await actor.live(client, number);
    });
    const killing = (async () => {
      for (let i = 0; i < kills; i++) {
        await delay(100 + this.#random() * 1500);
        await this.#kill();
      }
    })();
    await Promise.all([...work, killing]);
  }

  /** Each has choices of its own, so that one that is slow does not change those of the others. */
  #client(number: number, asksAgain: boolean): ChaosClient {
    const { seed } = this.#options;
    const key = asksAgain ? `chaos-${seed}-${number}` : undefined;
    return new ChaosClient(() => this.#server, this.#notes, numbers(seed * 10_007 + number), key);
  }

  async #kill(): Promise<void> {
    const victim = ['server', 'server', 'PostgreSQL', 'HAProxy'][Math.floor(this.#random() * 4)] ?? 'server';
    this.#kills.push(victim);
    const { dataDir } = this.#options;
    if (victim === 'server') {
      const server = await this.#server;
      await server.end('SIGKILL');
      this.#server = this.#launch();
      await this.#server;
    } else if (victim === 'PostgreSQL') {
      const file = readFileSync(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8');
      kill(Number(file.split('\n')[0]));
    } else {
      for (const pid of processesWith(`${dataDir}/regions`)) kill(pid);
    }
  }

  /** Everything ended, everything FINISHED is true, nothing is orphaned; and all of it can be deleted. */
  async verdict(): Promise<ChaosResult> {
    const faults = [...this.#notes.surprises];
    await this.#quiet();
    faults.push(...(await this.#untruths()));
    faults.push(...(await databaseFaults(this.#query)), ...(await this.#processFaults()));
    faults.push(...(await this.#deleteAll()));
    faults.push(...(await databaseFaults(this.#query)), ...(await remains(this.#query)), ...this.#leavings());
    return { accepted: this.#notes.tasks.size, kills: this.#kills, faults: [...new Set(faults)] };
  }

  /** Also those whose acceptance nobody heard of have to end. */
  async #quiet(): Promise<void> {
    await waitUntil(
      async () => {
        const [row] = await this.#query(
          `select (select count(*) from tasks where state in ('NEW', 'RUNNING'))
                + (select count(*) from graphile_worker.jobs where task_identifier = 'run_task') as n`,
        );
        return Number(row?.n) === 0;
      },
      { what: 'all tasks to end and the queue to be empty', timeoutMs: PATIENCE_MS, intervalMs: 200 },
    );
  }

  async #untruths(): Promise<string[]> {
    const server = await this.#server;
    const faults: string[] = [];
    for (const id of this.#notes.tasks) {
      const { body } = await server.call('GET', `/cloud/v1/tasks/${id}`);
      if (body.state !== 'FINISHED' && body.state !== 'ERROR') faults.push(`task ${id} is ${body.state}`);
      if (body.state === 'ERROR') faults.push(`${body.task_type} ${id} failed: ${body.error}`);
    }
    for (const [target, truth] of this.#notes.truths) {
      const { status, body } = await server.call('GET', target);
      const fault = untruth(truth, status, body);
      if (fault !== undefined) faults.push(`${target}: ${fault}`);
    }
    return faults;
  }

  /** Each load balancer of the local region has exactly its process, answers, and there are no others. */
  async #processFaults(): Promise<string[]> {
    const { body } = await (await this.#server).call('GET', '/cloud/v1/loadbalancers/1/1?limit=1000');
    const wanted: { id: string; vip_address: string; provisioning_status: string }[] = body.results;
    const faults: string[] = [];
    for (const { id, vip_address } of wanted) {
      await waitUntil(() => processesWith(id).length === 1, {
        what: `one process for ${id}`,
        timeoutMs: 10_000,
      }).catch((error: Error) => faults.push(error.message));
      const status = await fetch(`http://${vip_address}:8088/`).then(
        (response) => response.status,
        () => 0,
      );
      if (status !== 503) faults.push(`${id} answers ${status} at ${vip_address}`);
    }
    const running = processesWith(`${this.#options.dataDir}/regions`).length;
    if (running !== wanted.length) faults.push(`${running} processes for ${wanted.length} load balancers`);
    return faults;
  }

  /** Takes away what is there, one kind after the other. */
  async #deleteAll(): Promise<string[]> {
    const faults: string[] = [];
    const client = this.#client(-1, false);
    for (const { list, one } of actors.flatMap(({ all }) => all)) {
      const { body } = await client.read(list);
      await Promise.all(
        (body.results as Row[])
          .filter(({ is_default, external }) => !is_default && !external)
          .map(async (row) => {
            const task = await client.ended(await client.write('DELETE', one(row)));
            if (task?.state !== 'FINISHED') faults.push(`${one(row)} was not deleted: ${task?.error}`);
          }),
      );
    }
    await this.#quiet();
    return faults;
  }

  /** Processes and files of load balancers that are gone. */
  #leavings(): string[] {
    const regions = path.join(this.#options.dataDir, 'regions');
    const files = readdirSync(regions, { recursive: true, withFileTypes: true }).filter(({ name }) =>
      /[0-9a-f]{8}-[0-9a-f]{4}-/.test(name),
    );
    return [
      ...processesWith(regions).map((pid) => `process ${pid} is left`),
      ...files.map(({ parentPath, name }) => `${path.join(parentPath, name)} is left`),
    ];
  }
}

function untruth(truth: Truth, status: number, body: Readonly<Record<string, unknown>>): string | undefined {
  if (truth === 'gone') return status === 404 ? undefined : `answers ${status} after its deletion FINISHED`;
  if (status !== 200) return `answers ${status}, but was created and not deleted`;
  const wrong = Object.entries(truth).filter(([field, value]) => body[field] !== value);
  return wrong.length === 0
    ? undefined
    : wrong.map(([field, value]) => `${field} is ${body[field]}, not ${value}`).join(', ');
}

function pick(from: readonly Actor[], random: number): Actor {
  let left = random * from.reduce((sum, { weight }) => sum + weight, 0);
  const picked = from.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  const [first] = from;
  if (!first) throw new Error('there are no actors');
  return picked ?? first;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}
