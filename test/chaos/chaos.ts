import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  type Answer,
  type EndedTask,
  processesWith,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** Many changes at once, and kills at random points of them: of the server, of PostgreSQL, of HAProxy. */

export interface ChaosOptions {
  readonly dataDir: string;
  readonly seed: number;
  readonly operations: number;
  readonly kills: number;
}

export interface ChaosResult {
  readonly accepted: number;
  readonly kills: readonly string[];
  /** What is not as it should be; empty is good. */
  readonly faults: readonly string[];
}

/** A small generator of our own numbers: the same seed, the same run of choices (mulberry32). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const BASE = '/cloud/v1/loadbalancers/1';
const LOCAL = 1;
const SIMULATED = 2;

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

class Chaos {
  readonly #options: ChaosOptions;
  readonly #random: () => number;
  readonly #tasks = new Set<string>();
  readonly #kills: string[] = [];
  #server: Promise<VirgaProcess>;

  constructor(options: ChaosOptions) {
    this.#options = options;
    this.#random = numbers(options.seed);
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
    await this.#server;
  }

  async stop(): Promise<void> {
    const server = await this.#server.catch(() => undefined);
    await server?.end('SIGTERM');
  }

  /** Operations side by side, with kills in between. */
  async storm(): Promise<void> {
    const { operations, kills } = this.#options;
    const work = Array.from({ length: operations }, (_, i) => this.#operation(i));
    const killing = (async () => {
      for (let i = 0; i < kills; i++) {
        await delay(100 + this.#random() * 1500);
        await this.#kill();
      }
    })();
    await Promise.all([...work, killing]);
  }

  /** Creates, and perhaps changes and deletes, one load balancer. What is not acknowledged is not counted. */
  async #operation(i: number): Promise<void> {
    await delay(this.#random() * 3000);
    const region = i % 10 === 0 ? LOCAL : SIMULATED;
    const created = await this.#write('POST', `${BASE}/${region}`, {
      name: `chaos ${i}`,
      listeners: [{ name: 'http', protocol: 'HTTP', protocol_port: 8088 }],
    });
    if (!created) return;
    const task = await this.#ended(created);
    const id = task?.created_resources?.loadbalancers?.[0];
    if (task?.state !== 'FINISHED' || id === undefined) return;
    if (this.#random() < 0.5) {
      await this.#ended(
        await this.#write('PATCH', `/cloud/v2/loadbalancers/1/${region}/${id}`, { name: `changed ${i}` }),
      );
    }
    if (this.#random() < 0.5) await this.#ended(await this.#write('DELETE', `${BASE}/${region}/${id}`));
  }

  /** Undefined when the server was killed before it answered. */
  async #write(method: string, target: string, body?: unknown): Promise<Answer | undefined> {
    try {
      const answer = await (await this.#server).call(method, target, body);
      for (const id of answer.body.tasks ?? []) this.#tasks.add(id);
      return answer;
    } catch {
      return undefined;
    }
  }

  async #ended(answer: Answer | undefined): Promise<EndedTask | undefined> {
    const id = answer?.body.tasks?.[0];
    if (!id) return undefined;
    return waitUntil(
      async () => {
        const { body } = await (await this.#server).call('GET', `/cloud/v1/tasks/${id}`);
        return body.state === 'FINISHED' || body.state === 'ERROR' ? body : undefined;
      },
      { what: `task ${id} to end`, timeoutMs: 90_000, intervalMs: 100 },
    );
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
      const pid = Number(
        readFileSync(path.join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0],
      );
      kill(pid);
    } else {
      for (const pid of processesWith(`${dataDir}/regions`)) kill(pid);
    }
  }

  /** Everything ended, everything FINISHED is true, and nothing is orphaned. */
  async verdict(): Promise<ChaosResult> {
    const faults: string[] = [];
    const server = await this.#server;
    for (const id of this.#tasks) {
      const { body } = await server.call('GET', `/cloud/v1/tasks/${id}?wait=60`);
      if (body.state !== 'FINISHED' && body.state !== 'ERROR') faults.push(`task ${id} is ${body.state}`);
      if (body.state === 'ERROR' && body.created_resources !== null)
        faults.push(`failed task ${id} names resources`);
    }
    await this.#quiet();
    faults.push(...(await this.#databaseFaults()), ...(await this.#processFaults(server)));
    return { accepted: this.#tasks.size, kills: this.#kills, faults };
  }

  /** Also those whose acceptance nobody heard of have to end. */
  async #quiet(): Promise<void> {
    await waitUntil(
      async () => {
        const [row] = await this.#sql(
          `select count(*)::int as n from tasks where state in ('NEW', 'RUNNING')`,
        );
        const [jobs] = await this.#sql(
          `select count(*)::int as n from graphile_worker.jobs where task_identifier = 'run_task'`,
        );
        return row?.n === 0 && jobs?.n === 0;
      },
      { what: 'all tasks to end and the queue to be empty', timeoutMs: 90_000, intervalMs: 200 },
    );
  }

  async #databaseFaults(): Promise<string[]> {
    const checks: Readonly<Record<string, string>> = {
      'a load balancer is still locked': 'select id as n from load_balancers where task_id is not null',
      'a load balancer is PENDING': `select id as n from load_balancers where provisioning_status like 'PENDING%'`,
      'quota and rows differ': `select q.usage || ' counted, ' || count(l.*) as n
          from quota_counters q left join load_balancers l on l.region_id = q.region_id
          where q.name = 'loadbalancer_count' group by q.region_id, q.usage having q.usage <> count(l.*)`,
      'list counter and rows differ': `select c.count || ' counted, ' || count(l.*) as n
          from resource_counts c left join load_balancers l on l.region_id = c.region_id and l.project_id = c.project_id
          where c.resource = 'loadbalancers' group by c.region_id, c.count having c.count <> count(l.*)`,
      'a created load balancer is gone without a deletion': `select t.id as n from tasks t
          where t.type = 'create_loadbalancer' and t.state = 'FINISHED'
            and not exists (select 1 from load_balancers l where l.id = (t.created_resources->'loadbalancers'->>0)::uuid)
            and not exists (select 1 from tasks d where d.type = 'delete_loadbalancer' and d.state = 'FINISHED'
                             and d.subject_id = t.created_resources->'loadbalancers'->>0)`,
      'a deleted load balancer is still there': `select t.id as n from tasks t join load_balancers l on l.id::text = t.subject_id
          where t.type = 'delete_loadbalancer' and t.state = 'FINISHED'`,
      'a failed creation left its load balancer': `select t.id as n from tasks t join load_balancers l on l.id::text = t.subject_id
          where t.type = 'create_loadbalancer' and t.state = 'ERROR'`,
    };
    const found: string[] = [];
    for (const [name, query] of Object.entries(checks)) {
      for (const row of await this.#sql(query)) found.push(`${name}: ${row.n}`);
    }
    return found;
  }

  /** Each load balancer of the local region has exactly its process, answers, and there are no others. */
  async #processFaults(server: VirgaProcess): Promise<string[]> {
    const { body } = await server.call('GET', `${BASE}/${LOCAL}?limit=1000`);
    const wanted: { id: string; vip_address: string }[] = body.results;
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

  async #sql(query: string): Promise<Record<string, unknown>[]> {
    const { dataDir } = this.#options;
    const password = readFileSync(path.join(dataDir, 'postgres/password'), 'utf8').trim();
    const client = new pg.Client({
      host: path.join(dataDir, 'postgres/run'),
      port: 5432,
      user: 'virga',
      password,
      database: 'virga',
    });
    await client.connect();
    try {
      return (await client.query(query)).rows;
    } finally {
      await client.end();
    }
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}
