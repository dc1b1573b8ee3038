import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../server/src/platform/database/embedded/index.ts';
import { isProcessAlive } from '../../server/src/platform/tasks/processes.ts';
import {
  newDataDir,
  processesWith,
  removeDataDir,
  startVirga,
  type VirgaProcess,
} from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { type Query, queryOf } from './database-faults.ts';

/** What runs in a storm, and what of it can be killed. */
export interface Cluster {
  /** Files of the data planes are in here. */
  readonly dataDir: string;
  readonly query: Query;
  /** The process that serves the API, now or as soon as it is back. */
  api(): Promise<VirgaProcess>;
  /** What can be killed; as often as it should be, in relation to the others. */
  readonly victims: readonly string[];
  /** Kills it. What is not looked after by somebody else is started again. */
  kill(victim: string, random: () => number): Promise<void>;
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/** How long a frozen worker stays frozen: longer than it takes to replace it. */
const FROZEN_MS = 7000;

/** One process that does everything, and has its own PostgreSQL. */
export function oneProcess(dataDir: string, env: Environment): Cluster {
  const all = new Member({ dataDir, env, args: [] });
  return {
    dataDir,
    query: queryOf(dataDir),
    api: () => all.process,
    victims: ['server', 'server', 'PostgreSQL', 'HAProxy'],
    kill: async (victim) => {
      if (victim === 'server') await all.replace();
      else await killProgram(victim, dataDir, dataDir);
    },
    stop: () => all.stop(),
  };
}

/** An API, two workers on one data directory, and a PostgreSQL that none of them looks after. */
export async function separateProcesses(dataDir: string, env: Environment): Promise<Cluster> {
  const postgresDir = newDataDir();
  const postgres = await startEmbeddedPostgres({ dataDir: postgresDir, log: QUIET });
  const more = { ...env, DATABASE_URL: urlOf(postgres), VIRGA_MASTER_KEY: MASTER_KEY };
  const start = (role: string) => new Member({ dataDir, env: more, args: ['--role', role] });
  const api = start('api');
  // The first one makes the database.
  await api.process;
  const workers = [start('worker'), start('worker')];
  await Promise.all(workers.map((worker) => worker.process));
  return {
    dataDir,
    query: queryOf(postgresDir),
    api: () => api.process,
    victims: ['API', 'worker', 'worker', 'frozen worker', 'PostgreSQL', 'HAProxy'],
    kill: async (victim, random) => {
      const worker = workers[Math.floor(random() * workers.length)];
      if (victim === 'API') await api.replace();
      else if (victim === 'worker') await worker?.replace();
      else if (victim === 'frozen worker') await worker?.freeze();
      else await killProgram(victim, postgresDir, dataDir);
    },
    stop: async () => {
      await Promise.all([api, ...workers].map((member) => member.stop()));
      await postgres.stop();
      removeDataDir(postgresDir);
    },
  };
}

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
const QUIET = { info: () => {}, warn: () => {}, error: () => {} };

function urlOf({ connection: { user, password, host, database } }: EmbeddedPostgres): string {
  return `postgresql://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}`;
}

/** A process that is started again after it was killed. */
class Member {
  readonly #options: Parameters<typeof startVirga>[0];
  process: Promise<VirgaProcess>;

  constructor(options: Parameters<typeof startVirga>[0]) {
    this.#options = options;
    this.process = this.#start();
  }

  /** A start while the database is being restarted fails; whoever looks after the process tries again. */
  async #start(): Promise<VirgaProcess> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await startVirga(this.#options);
      } catch (error) {
        // A database that was killed several times is restarted later and later.
        if (attempt === 100) throw error;
        await delay(300);
      }
    }
  }

  async replace(): Promise<void> {
    const before = await this.process;
    await before.end('SIGKILL');
    this.process = this.#start();
    await this.process;
  }

  /** Meanwhile another one does its work, and may have to end it. */
  async freeze(): Promise<void> {
    const { pid, end } = await this.process;
    signal(pid, 'SIGSTOP');
    await delay(FROZEN_MS);
    signal(pid, 'SIGCONT');
    if (isProcessAlive(pid)) return;
    await end('SIGKILL');
    this.process = this.#start();
    await this.process;
  }

  async stop(): Promise<void> {
    const process = await this.process.catch(() => undefined);
    await process?.end('SIGTERM');
  }
}

async function killProgram(victim: string, postgresDir: string, dataDir: string): Promise<void> {
  if (victim === 'PostgreSQL') {
    const file = path.join(postgresDir, 'postgres/data/postmaster.pid');
    // It may just be on its way back from the last time.
    const text = await waitUntil(() => readFileSync(file, 'utf8'), { what: 'PostgreSQL to run' });
    signal(Number(text.split('\n')[0]), 'SIGKILL');
  } else {
    for (const pid of processesWith(`${dataDir}/regions`)) signal(pid, 'SIGKILL');
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It was gone already.
  }
}
