import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { KEY_BYTES } from '../../server/src/platform/secrets/cipher.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';
import { cloudSettings } from './calls.ts';
import { REGION } from './cloud.ts';

/** A node that serves the API and two workers, as processes, with a region on this cloud, by OVN. */
export class Nodes {
  api!: VirgaProcess;
  readonly workers: VirgaProcess[] = [];
  readonly #key = randomBytes(KEY_BYTES);
  readonly #folders: string[] = [];
  #database!: TestDatabase;
  #pool!: pg.Pool;
  #regions = '';

  async start(): Promise<void> {
    this.#database = await createTestDatabase();
    this.#pool = new pg.Pool(this.#database.connection);
    this.#regions = path.join(this.#folder(), 'regions.json');
    const settings = cloudSettings('ovn', this.#key);
    const region = { id: REGION, name: 'Cloud', provider: 'openstack', settings };
    writeFileSync(this.#regions, JSON.stringify({ regions: [region] }));
    this.api = await this.#node('api');
    this.workers.push(await this.#node('worker'), await this.#node('worker'));
  }

  async close(): Promise<void> {
    await Promise.all([this.api, ...this.workers].map((node) => node.end('SIGTERM')));
    for (const each of this.#folders) removeDataDir(each);
    await this.#pool.end();
    await this.#database.drop();
  }

  /** What the first run has written down: `EMAIL`, `PASSWORD`, `API_TOKEN`, `OPERATOR_TOKEN`. */
  credential(name: string): string {
    const text = readFileSync(path.join(this.#folders[1] ?? '', 'credentials'), 'utf8');
    return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? '';
  }

  /** The worker that does a task. */
  async workerOf(taskId: string): Promise<VirgaProcess> {
    return waitUntil(
      async () => {
        const { rows } = await this.#pool.query(
          "select node from tasks where id = $1 and state = 'RUNNING'",
          [taskId],
        );
        return this.workers.find((worker) => rows[0]?.node === nameOf(worker));
      },
      { what: 'a worker to begin', intervalMs: 10 },
    );
  }

  /** Whether this worker was the last one that did a task. */
  async hasDone(worker: VirgaProcess, taskId: string): Promise<boolean> {
    const { rows } = await this.#pool.query('select node from tasks where id = $1', [taskId]);
    return rows[0].node === nameOf(worker);
  }

  /** Kills a worker, and starts another one. */
  async replace(worker: VirgaProcess): Promise<void> {
    await worker.end('SIGKILL');
    this.workers.splice(this.workers.indexOf(worker), 1, await this.#node('worker'));
  }

  #folder(): string {
    const made = newDataDir();
    this.#folders.push(made);
    return made;
  }

  #node(role: string): Promise<VirgaProcess> {
    return startVirga({
      dataDir: this.#folder(),
      args: ['--role', role],
      env: {
        DATABASE_URL: this.#database.url,
        VIRGA_MASTER_KEY: this.#key.toString('base64'),
        VIRGA_RATE_LIMIT: '0',
        VIRGA_REGIONS: this.#regions,
      },
    });
  }
}

const nameOf = ({ pid }: VirgaProcess): string => `${hostname()}:${pid}`;
