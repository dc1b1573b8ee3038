import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lab } from '../lab.ts';

/** What the programs of an installation take. */

const QUIET_MS = 10_000;
const IDLE_MS = 10_000;
const TICKS_A_SECOND = 100;

export const HEADINGS = ['tenants', 'of', 'processes', 'memory', 'cores while nothing happens'];

/** Of whom a program of an engine is, by the folder that its command line names. */
const ENGINES: readonly (readonly [kind: string, folder: string])[] = [
  ['load balancers', 'load-balancers'],
  ['tenants’ PostgreSQL', 'postgresql'],
  ['object storages', 'object-storage'],
];

interface Used {
  count: number;
  mib: number;
  ticks: number;
}

/** Of each kind: processes, memory that is shared counted once, and processor time so far. A child without words of its own
 *  counts as its parent. */
function used(lab: Lab, regionId: number): Map<string, Used> {
  const all = new Map<number, { readonly parent: number; readonly line: string }>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const line = read(`/proc/${name}/cmdline`).split('\0').join(' ');
    const parent = Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]);
    all.set(Number(name), { parent, line });
  }
  const cloud = [lab.primary.folder, lab.replica.folder];
  const region = path.join(lab.dataDir('machine-1'), 'regions', String(regionId));
  const nodes = new Map([
    ...lab.apis.map((node) => [node.process?.pid, 'API nodes'] as const),
    ...[...lab.workers.values()].map((node) => [node.process?.pid, 'workers'] as const),
  ]);
  const whose = (pid: number): string | undefined => {
    for (let at = pid, steps = 0; steps < 8; steps++) {
      const { line, parent } = all.get(at) ?? { line: '', parent: 0 };
      if (cloud.some((folder) => line.includes(folder))) return 'PostgreSQL of the cloud, with replica';
      const [kind] = ENGINES.find(([, folder]) => line.includes(path.join(region, folder))) ?? [];
      const found = kind ?? nodes.get(at);
      if (found !== undefined) return found;
      at = parent;
    }
    return undefined;
  };
  const sums = new Map<string, Used>();
  for (const pid of all.keys()) {
    const kind = whose(pid);
    if (kind === undefined) continue;
    const pss = Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
    const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
    const sum = sums.get(kind) ?? { count: 0, mib: 0, ticks: 0 };
    sums.set(kind, {
      count: sum.count + 1,
      mib: sum.mib + pss,
      // Of one that has ended meanwhile there are none.
      ticks: sum.ticks + Number(fields[11] ?? 0) + Number(fields[12] ?? 0),
    });
  }
  return sums;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Measures when all is quiet.
 *  @returns rows of a table, with memory that is shared counted once */
export async function measure(lab: Lab, regionId: number, tenants: number): Promise<string[]> {
  const mibOf = async (folder: string) => Number((await lab.shell(['du', '-sm', folder])).split('\t')[0]);
  await delay(QUIET_MS);
  const before = used(lab, regionId);
  await delay(IDLE_MS);
  const after = used(lab, regionId);
  const rows = [...after].map(([kind, { count, mib, ticks }]) => {
    // What has ended meanwhile has taken its ticks with it.
    const spent = Math.max(0, ticks - (before.get(kind)?.ticks ?? ticks));
    const cores = spent / TICKS_A_SECOND / (IDLE_MS / 1000);
    return `| ${tenants} | ${kind} | ${count} | ${Math.round(mib)} MiB | ${cores.toFixed(2)} |`;
  });
  const [row] = await lab.primary.query(
    "select count(*)::int as n from pg_stat_activity where datname = 'virga'",
  );
  const region = path.join(lab.dataDir('machine-1'), 'regions', String(regionId));
  const disks = await Promise.all([region, lab.primary.folder].map(mibOf));
  const all = `connections to the database of the cloud: ${row?.n} | disk: ${disks[0]} MiB of the region, ${disks[1]} MiB of the database`;
  return [...rows, `| ${tenants} | all | ${all} | |`];
}
