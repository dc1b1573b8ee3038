import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addSshKeyCall } from '../harness/kubernetes.ts';
import { STATUS } from '../harness/managed-postgresql.ts';
import { processesWith } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { type Actor, LOCAL, type Row } from './actors/actor.ts';
import { actors } from './actors/index.ts';
import { ChaosClient, Notes, type Truth } from './client.ts';
import { type Cluster, oneProcess, separateProcesses } from './cluster.ts';
import { databaseFaults, remains, repeats } from './database-faults.ts';
import { numbers } from './random.ts';

/** Many changes at once, and kills at random points of them: of servers, of PostgreSQL, of HAProxy. */

export interface ChaosOptions {
  readonly dataDir: string;
  readonly seed: number;
  readonly operations: number;
  readonly kills: number;
  /** Whether the API and two workers are processes of their own. Default: one process does it all. */
  readonly separate?: boolean;
}

export interface ChaosResult {
  /** Tasks that were accepted, and the client heard of it. */
  readonly accepted: number;
  readonly kills: readonly string[];
  /** What is not as it should be; empty is good. */
  readonly faults: readonly string[];
}

export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const { dataDir, seed } = options;
  const env = { VIRGA_TIME_SCALE: '0.01', VIRGA_RATE_LIMIT: '0', VIRGA_SEED: String(seed) };
  const cluster = options.separate ? await separateProcesses(dataDir, env) : oneProcess(dataDir, env);
  const run = new Chaos(options, cluster);
  try {
    await run.prepare();
    await run.storm();
    return await run.verdict();
  } finally {
    await cluster.stop();
  }
}

/** Where all servers of this machine note which addresses are theirs. */
const CLAIMS = '/var/tmp/virga-addresses';
const CLAIMS_LIST = 'load-balancers/addresses.json';

class Chaos {
  readonly #options: ChaosOptions;
  readonly #random: () => number;
  readonly #notes = new Notes();
  readonly #kills: string[] = [];
  readonly #cluster: Cluster;

  constructor(options: ChaosOptions, cluster: Cluster) {
    this.#options = options;
    this.#cluster = cluster;
    this.#random = numbers(options.seed);
  }

  async prepare(): Promise<void> {
    const api = await this.#cluster.api();
    const { method, path: target, body } = addSshKeyCall;
    await api.call(method, target, body);
    await api.call('PUT', STATUS, { is_initialized: true });
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
    return new ChaosClient(() => this.#cluster.api(), this.#notes, numbers(seed * 10_007 + number), key);
  }

  async #kill(): Promise<void> {
    const { victims } = this.#cluster;
    const victim = victims[Math.floor(this.#random() * victims.length)] ?? '';
    this.#kills.push(victim);
    await this.#cluster.kill(victim, this.#random);
  }

  /** Everything ended, everything FINISHED is true, nothing is orphaned; and all of it can be deleted. */
  async verdict(): Promise<ChaosResult> {
    const faults = [...this.#notes.surprises];
    await this.#quiet();
    faults.push(...(await this.#untruths()));
    faults.push(...(await databaseFaults(this.#cluster.query)), ...(await repeats(this.#cluster.query)));
    faults.push(...(await this.#processFaults()), ...this.#claimFaults());
    faults.push(...(await this.#deleteAll()));
    faults.push(
      ...(await databaseFaults(this.#cluster.query)),
      ...(await remains(this.#cluster.query)),
      ...this.#leftovers(),
    );
    return { accepted: this.#notes.tasks.size, kills: this.#kills, faults: [...new Set(faults)] };
  }

  /** Also those whose acceptance nobody heard of have to end. */
  async #quiet(): Promise<void> {
    await waitUntil(
      async () => {
        const [row] = await this.#cluster.query('select count(*) as n from tasks where finished_at is null');
        return Number(row?.n) === 0;
      },
      { what: 'all tasks to end', intervalMs: 200 },
    );
  }

  async #untruths(): Promise<string[]> {
    const server = await this.#cluster.api();
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

  /** Each load balancer of the local region that serves anything, and each storage, has exactly its process, answers,
   *  and there are no others. Nobody is behind any of them. */
  async #processFaults(): Promise<string[]> {
    const desired = await this.#cluster.query(
      `select id, host(vip_address) as address, exists (
                select from lb_listeners l where l.load_balancer_id = lb.id and protocol_port = 8088) as listens
         from load_balancers lb
        where region_id = ${LOCAL} and (exists (select from lb_listeners where load_balancer_id = lb.id)
           or exists (select from lb_pools where load_balancer_id = lb.id))`,
    );
    const faults: string[] = [];
    for (const { id, address, listens } of desired) {
      await waitUntil(() => processesWith(String(id)).length === 1, {
        what: `one process for ${id}`,
      }).catch((error: Error) => faults.push(error.message));
      const status = await fetch(`http://${address}:8088/`).then(
        (response) => response.status,
        () => 0,
      );
      if (status !== (listens ? 503 : 0)) faults.push(`${id} answers ${status} at ${address}`);
    }
    const storages = await this.#cluster.query(
      `select id from sftp_storages where region_id = ${LOCAL} and status = 'active'`,
    );
    // With the whole path: other tests that run at the same time have storages of the same numbers.
    const home = path.join(this.#options.dataDir, 'regions', String(LOCAL), 'sftp-storage');
    for (const { id } of storages)
      await waitUntil(() => processesWith(`${home}/storage-${id}/orders.json`).length === 1, {
        what: `one process for SFTP storage ${id}`,
      }).catch((error: Error) => faults.push(error.message));
    const running = processesWith(`${this.#options.dataDir}/regions`).length;
    const all = desired.length + storages.length;
    if (running !== all) faults.push(`${running} processes for ${all} load balancers and storages`);
    return faults;
  }

  /** Deletes what is there, one kind after the other. */
  async #deleteAll(): Promise<string[]> {
    const faults: string[] = [];
    const client = this.#client(-1, false);
    for (const { list, one } of actors.flatMap(({ all }) => all)) {
      const { body } = await client.read(list);
      await Promise.all(
        (body.results as Row[])
          .filter(({ is_default, external }) => !is_default && !external)
          .map(async (row) => {
            await client.rests(one(row));
            const answer = await client.write('DELETE', one(row));
            const task = await client.ended(answer);
            // Without a task it was done when it was answered.
            if (answer?.status !== 204 && task?.state !== 'FINISHED')
              faults.push(`${one(row)} was not deleted: ${task?.error}`);
          }),
      );
    }
    await this.#quiet();
    return faults;
  }

  /** What the machine's list of addresses says of this data directory is what the directory says of itself. */
  #claimFaults(): string[] {
    const { dataDir } = this.#options;
    const lists = readdirSync(path.join(dataDir, 'regions')).map(
      (region) => readJson<Record<string, string>>(path.join(dataDir, 'regions', region, CLAIMS_LIST)) ?? {},
    );
    const listed = new Set(lists.flatMap((list) => Object.values(list)));
    const claims = readdirSync(CLAIMS).map((block) =>
      readJson<{ dataDir: string; token: string }>(path.join(CLAIMS, block)),
    );
    return claims
      .filter((claim) => claim?.dataDir.startsWith(`${dataDir}/`) && !listed.has(claim.token))
      .map((claim) => `claim ${claim?.token} of addresses is listed nowhere`);
  }

  /** Processes and files of load balancers and storages that are gone. */
  #leftovers(): string[] {
    const regions = path.join(this.#options.dataDir, 'regions');
    const files = readdirSync(regions, { recursive: true, withFileTypes: true }).filter(({ name }) =>
      /[0-9a-f]{8}-[0-9a-f]{4}-|^storage-\d/.test(name),
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
  const wrong = Object.entries(truth).filter(([field, value]) => fieldOf(body, field) !== value);
  return wrong.length === 0
    ? undefined
    : wrong.map(([field, value]) => `${field} is ${fieldOf(body, field)}, not ${value}`).join(', ');
}

function fieldOf(body: unknown, field: string): unknown {
  return field
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], body);
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

/** Undefined when the file is gone, or is just being replaced. */
function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
