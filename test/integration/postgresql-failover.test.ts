import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DesiredCluster } from '../../server/src/features/managed-postgresql/port.ts';
import { identify } from '../../server/src/kernel/processes.ts';
import { ask, type LocalClusters, session, startLocalClusters } from '../harness/local-postgresql.ts';
import { waitUntil } from '../harness/wait.ts';

/** Clusters with a replica: what was acknowledged survives the loss of the primary, again and again. With
 *  VIRGA_FAILOVERS=20 it is lost that often, and how long that takes is printed. */

const KILLS = Number(process.env.VIRGA_FAILOVERS ?? 3);
const WRITERS = 4;
let clusters: LocalClusters;
let cluster: DesiredCluster;
let stopKeeping: () => Promise<void>;

interface Notes {
  readonly primary?: 'a' | 'b';
  readonly isSynchronous?: boolean;
  readonly mayTakeOver?: boolean;
  readonly tookOverAt?: string;
}
const notes = () =>
  JSON.parse(readFileSync(path.join(clusters.root, cluster.id, 'notes.json'), 'utf8')) as Notes;
const dataOf = (node: 'a' | 'b' = 'a') => (node === 'a' ? 'data' : path.join('b', 'data'));
const pids = () => {
  const { primary = 'a' } = notes();
  return {
    primary: clusters.pidOf(cluster.id, dataOf(primary)),
    replica: clusters.pidOf(cluster.id, dataOf(primary === 'a' ? 'b' : 'a')),
  };
};
const whole = (isSynchronous = true) =>
  waitUntil(() => notes().mayTakeOver && (notes().isSynchronous ?? false) === isSynchronous, {
    what: 'the replica to be one that may take over',
  });

/** Writes rows until stopped, and remembers which were acknowledged. */
class Writer {
  readonly acknowledged: number[] = [];
  /** When the first row of each session was acknowledged. */
  readonly begun: number[] = [];
  readonly #first: number;
  #isOver = false;
  #run: Promise<void> | undefined;

  constructor(first: number) {
    this.#first = first;
  }

  start(): void {
    this.#run = this.#write();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#run;
  }

  async #write(): Promise<void> {
    let client: pg.Client | undefined;
    for (let id = this.#first; !this.#isOver; id += WRITERS) {
      const isNew = client === undefined;
      try {
        client ??= await session(cluster, { connectionTimeoutMillis: 2_000, query_timeout: 20_000 });
        await client.query('insert into rows values ($1)', [id]);
        this.acknowledged.push(id);
        if (isNew) this.begun.push(performance.now());
      } catch {
        void client?.end().catch(() => undefined);
        client = undefined;
        await delay(5);
      }
    }
    await client?.end();
  }
}

beforeAll(async () => {
  clusters = await startLocalClusters();
  cluster = await clusters.create({ replication: 'sync' });
  stopKeeping = clusters.keep(cluster);
  await ask(cluster, 'create table rows (id bigint primary key)');
  await whole();
}, 180_000);

afterAll(async () => {
  await stopKeeping();
  await clusters.close();
}, 60_000);

test('no row that was acknowledged is lost, however often the primary is killed under load', async () => {
  const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(i));
  for (const writer of writers) writer.start();
  const count = () => writers.reduce((sum, { acknowledged }) => sum + acknowledged.length, 0);
  const times: number[] = [];
  for (let kills = 0; kills < KILLS; kills += 1) {
    await whole();
    const before = notes().primary ?? 'a';
    const some = count();
    await waitUntil(() => count() > some + 20, { what: 'rows to be written' });
    process.kill(pids().primary, 'SIGKILL');
    const since = performance.now();
    // A new session at the same address is one of the server that took over.
    const again = await waitUntil(
      () =>
        (notes().primary ?? 'a') !== before && writers.flatMap(({ begun }) => begun).find((at) => at > since),
      { what: 'rows to be written again' },
    );
    times.push(Math.round(again - since));
  }
  await Promise.all(writers.map((writer) => writer.stop()));
  const rows = await ask(cluster, 'select id::int from rows');
  const there = new Set(rows.map(({ id }) => id));
  const acknowledged = writers.flatMap((writer) => writer.acknowledged);
  expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
  if (process.env.VIRGA_FAILOVERS !== undefined)
    process.stdout.write(`${KILLS} kills, ${acknowledged.length} rows, ms: ${times.join(' ')}\n`);
}, 900_000);

test('the lost one comes back as a replica by itself, and has everything', async () => {
  await whole();
  const { primary: before, tookOverAt } = notes();
  const rows = await ask(cluster, 'select count(*)::int from rows');
  process.kill(pids().primary, 'SIGKILL');
  await waitUntil(() => notes().tookOverAt !== tookOverAt, { what: 'the other one to take over' });
  // It has taken over when clients get in, and not before.
  expect(await ask(cluster, 'select count(*)::int from rows')).toEqual(rows);
  expect(notes().primary).not.toBe(before);
});

test('a change that finds the primary lost goes on with the replica', async () => {
  await whole();
  await stopKeeping();
  const before = notes().primary ?? 'a';
  const lost = pids().primary;
  process.kill(lost, 'SIGKILL');
  // Nobody else may find it lost before the change does.
  while (identify(lost) !== null);
  await clusters.apply({ ...cluster, pg_conf: 'work_mem = 12MB' });
  expect(notes().primary ?? 'a').not.toBe(before);
  expect(await ask(cluster, 'show work_mem')).toEqual([{ work_mem: '12MB' }]);
  stopKeeping = clusters.keep(cluster);
});

test('a primary that is frozen is lost, too', async () => {
  await whole();
  const before = notes().primary;
  const frozen = pids().primary;
  process.kill(frozen, 'SIGSTOP');
  await waitUntil(() => notes().primary !== before, { what: 'the other one to take over' });
  await waitUntil(() => ask(cluster, 'select 1').catch(() => undefined), { what: 'an answer' });
  expect(identify(frozen)).toBeNull();
});

test('a take-over that was noted, and not done when Virga was killed, is finished by the next look', async () => {
  await whole();
  await stopKeeping();
  const { primary: lost, replica } = pids();
  const next = (notes().primary ?? 'a') === 'a' ? 'b' : 'a';
  process.kill(lost, 'SIGKILL');
  while (identify(lost) !== null);
  const taken = { ...notes(), primary: next, isSynchronous: false, mayTakeOver: false };
  writeFileSync(path.join(clusters.root, cluster.id, 'notes.json'), JSON.stringify(taken));
  expect(identify(replica)).not.toBeNull();
  await clusters.observe(cluster);
  await ask(cluster, 'insert into rows values (-2)');
  expect(notes().primary).toBe(next);
  stopKeeping = clusters.keep(cluster);
});

test('without its replica a primary goes on, until there is one again', async () => {
  await whole();
  const { primary, replica } = pids();
  process.kill(replica, 'SIGKILL');
  await ask(cluster, 'insert into rows values (-1)');
  // The row may have been acknowledged, and all noted as whole, by what was left of the killed one.
  await waitUntil(() => pids().replica > 0 && pids().replica !== replica, { what: 'another replica' });
  await whole();
  expect(pids().primary).toBe(primary);
});

test('a replica can replicate without being waited for, come later, and go', async () => {
  await stopKeeping();
  cluster = { ...cluster, replication: 'async' };
  await clusters.apply(cluster);
  expect(notes()).toMatchObject({ isSynchronous: false, mayTakeOver: true });
  const { primary = 'a' } = notes();
  cluster = { ...cluster, replication: null };
  await clusters.apply(cluster);
  const other = path.join(clusters.root, cluster.id, dataOf(primary === 'a' ? 'b' : 'a'));
  expect(existsSync(other)).toBe(false);
  expect(notes()).toMatchObject({ isSynchronous: false, mayTakeOver: false });
  cluster = { ...cluster, replication: 'async' };
  await clusters.apply(cluster);
  expect(notes()).toMatchObject({ isSynchronous: false, mayTakeOver: true });
  stopKeeping = clusters.keep(cluster);
});

test('deletion leaves no process and no file', async () => {
  await stopKeeping();
  const { primary, replica } = pids();
  await clusters.remove(cluster.id);
  expect([identify(primary), identify(replica)]).toEqual([null, null]);
  expect(clusters.folders().filter((name) => name !== 'templates')).toEqual([]);
  stopKeeping = async () => undefined;
});
