import { Agent } from 'node:https';
import { ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { clusterBody } from '../../harness/managed-postgresql.ts';
import { type Answer, API_KEY } from '../../harness/process.ts';
import { waitUntil } from '../../harness/wait.ts';
import { Caller } from '../caller.ts';
import type { Lab } from '../lab.ts';

/** One tenant: what it has, and what was acknowledged to it. */

export const REGION = 1;
const LOCATION = 'both';
const PASSWORD = 'forty seven green umbrellas';

interface Database {
  readonly id: string;
  readonly host: string;
  readonly password: string;
  readonly rows: Set<number>;
}

interface Bucket {
  readonly id: number;
  readonly host: string;
  readonly s3: S3Client;
  readonly keys: Set<string>;
}

/** What a tenant has beside its load balancer. */
export type Keeps = 'database' | 'bucket';

export class Tenant {
  readonly lab: Lab;
  readonly name: string;
  readonly keeps: Keeps;
  id = 0;
  project = 0;
  as = new Caller('');
  balancer = { id: '', url: '' };
  database: Database | undefined;
  bucket: Bucket | undefined;
  /** What its data planes do while it is suspended; undefined: it is not. */
  suspended: 'running' | 'stopped' | undefined;
  /** An act is being done to it. */
  isBusy = false;
  #next = 0;

  constructor(lab: Lab, name: string, keeps: Keeps) {
    this.lab = lab;
    this.name = name;
    this.keeps = keeps;
  }

  get path(): string {
    return `/virga/v1/clients/${this.id}`;
  }

  get balancers(): string {
    return `/cloud/v1/loadbalancers/${this.project}/${REGION}`;
  }

  get #clusters(): string {
    return `/cloud/v1/dbaas/postgres/clusters/${this.project}/${REGION}`;
  }

  /** Ids by which processes, files and rows of it are known. */
  get marks(): readonly string[] {
    return [this.balancer.id, this.database?.id ?? []].flat();
  }

  /** Signs it up, and creates what it has.
   *  @throws with the answer that was not expected */
  async create(): Promise<void> {
    const { lab } = this;
    const email = `${this.name}@example.test`;
    const made = await lab.operator.call('POST', '/virga/v1/clients', { name: this.name, email });
    this.id = expected(made, 201).id;
    const person = { email, user_role: { id: 2 }, password: PASSWORD };
    expected(await lab.operator.call('POST', `${this.path}/users`, person), 201);
    this.as = new Caller(lab.url, await this.#token(email));
    this.project = expected(await this.as.call('GET', '/cloud/v1/projects'), 200).results[0].id;
    const task = await this.done('POST', this.balancers, lab.web('web'));
    const [id] = task.created_resources.loadbalancers;
    const { vip_address } = expected(await this.as.call('GET', `${this.balancers}/${id}`), 200);
    this.balancer = { id, url: lab.webUrl(vip_address) };
    if (this.keeps === 'database') await this.#createDatabase();
    else await this.#createBucket();
  }

  /** Makes a call with a task, and waits for its end.
   *  @throws when it fails */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async done(method: string, path: string, body?: object): Promise<any> {
    const task = await this.as.ended(await this.as.call(method, path, body));
    if (task.state !== 'FINISHED') throw new Error(`${this.name}: ${task.task_type}: ${task.error}`);
    return task;
  }

  /** Writes one more row or object, until that is acknowledged. */
  async write(): Promise<void> {
    const number = this.#next++;
    await waitUntil(() => this.#writeOnce(number), { what: `${this.name} to write`, intervalMs: 250 });
    this.database?.rows.add(number);
    this.bucket?.keys.add(String(number));
  }

  /** How much of what was acknowledged is not there. */
  async lost(): Promise<number> {
    if (this.database) {
      const { rows } = this.database;
      const there = await waitUntil(() => this.#query('select id from kept'), {
        what: `the rows of ${this.name}`,
        intervalMs: 250,
      });
      const ids = new Set(there.map(({ id }) => id));
      return [...rows].filter((id) => !ids.has(id)).length;
    }
    const keys = await waitUntil(() => this.#keys(), {
      what: `the objects of ${this.name}`,
      intervalMs: 250,
    });
    return [...(this.bucket?.keys ?? [])].filter((key) => !keys.has(key)).length;
  }

  /** Whether its load balancer answers. */
  answers(): Promise<boolean> {
    const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(2000) };
    return fetch(this.balancer.url, options).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  /** Waits until its load balancer answers, or does not. */
  async waitFor(answers: boolean): Promise<void> {
    const what = `the load balancer of ${this.name} to ${answers ? 'answer' : 'stop'}`;
    await waitUntil(async () => (await this.answers()) === answers, { what, intervalMs: 100 });
  }

  close(): void {
    this.bucket?.s3.destroy();
  }

  async #writeOnce(number: number): Promise<boolean> {
    if (this.database) {
      // One that was written and not acknowledged is there already.
      await this.#query(`insert into kept values (${number}) on conflict do nothing`);
    } else {
      const object = { Bucket: 'kept', Key: String(number), Body: this.name };
      await this.bucket?.s3.send(new PutObjectCommand(object), { abortSignal: AbortSignal.timeout(5000) });
    }
    return true;
  }

  #query(text: string): Promise<Record<string, unknown>[]> {
    const { host = '', password = '' } = this.database ?? {};
    return this.lab.query(host, password, text);
  }

  async #keys(): Promise<ReadonlySet<string>> {
    const keys = new Set<string>();
    for (let after: string | undefined; ; ) {
      const page = await this.bucket?.s3.send(
        new ListObjectsV2Command({ Bucket: 'kept', ...(after && { StartAfter: after }) }),
        { abortSignal: AbortSignal.timeout(5000) },
      );
      for (const { Key = '' } of page?.Contents ?? []) keys.add(Key);
      after = page?.Contents?.at(-1)?.Key;
      if (!page?.IsTruncated) return keys;
    }
  }

  /** A token of its own, which a suspension refuses. */
  async #token(username: string): Promise<string> {
    const anybody = new Caller(this.lab.url, API_KEY);
    const signedIn = await anybody.call('POST', '/iam/auth/jwt/login', { username, password: PASSWORD });
    const { access } = expected(signedIn, 200);
    const person = new Caller(this.lab.url, `Bearer ${access}`);
    const token = { name: 'trial', exp_date: null, client_user: { role: { id: 2 } } };
    return expected(await person.call('POST', `/iam/clients/${this.id}/tokens`, token), 200, 201).token;
  }

  async #createDatabase(): Promise<void> {
    const status = `/cloud/v1/dbaas/status/${this.project}/${REGION}`;
    expected(await this.as.call('PUT', status, { is_initialized: true }), 200, 201);
    await this.done('POST', this.#clusters, {
      ...clusterBody('shop'),
      flavor: { cpu: 1, memory_gib: 1 },
      network: { network_type: 'public', acl: ['198.18.79.0/24'] },
    });
    const { network } = expected(await this.as.call('GET', `${this.#clusters}/shop`), 200);
    const shown = await this.as.call('GET', `${this.#clusters}/shop/users/app/credentials`);
    const { password } = expected(shown, 200);
    const { results } = (
      await this.lab.operator.call('GET', `${this.path}/resources?kind=postgresql_clusters`)
    ).body;
    this.database = { id: results[0].id, host: network.host, password, rows: new Set() };
    await waitUntil(() => this.#query('create table if not exists kept (id int primary key)'), {
      what: `the database of ${this.name}`,
      intervalMs: 250,
    });
  }

  async #createBucket(): Promise<void> {
    const made = await this.as.call('POST', '/storage/v4/object_storages', {
      location_name: LOCATION,
      name: this.name,
    });
    const { id, access_keys } = expected(made, 200, 201);
    const [key] = access_keys;
    const one = `/storage/v4/object_storages/${id}`;
    // The call waits for its task, but not for longer than clients do.
    const address = await waitUntil(async () => (await this.as.call('GET', one)).body.address || false, {
      what: `the storage of ${this.name}`,
      intervalMs: 250,
    });
    await waitUntil(
      async () => {
        const { status, body } = await this.as.call('POST', `${one}/buckets`, { name: 'kept' });
        return status < 300 || isAnswerLost(JSON.stringify(body));
      },
      { what: `the bucket of ${this.name}`, intervalMs: 250 },
    );
    const s3 = new S3Client({
      endpoint: address,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: key.access_key, secretAccessKey: key.secret_key },
      requestHandler: { httpsAgent: new Agent({ rejectUnauthorized: false }), connectionTimeout: 2000 },
    });
    this.bucket = { id, host: new URL(address).hostname, s3, keys: new Set() };
  }
}

/** A process that was killed has carried a request out, and could not answer. */
export const isAnswerLost = (text: string): boolean => text.includes('but its answer is not kept');

/** @throws when it was not carried out */
export function carriedOut(answer: Answer): void {
  if (!isAnswerLost(JSON.stringify(answer.body))) expected(answer, 200);
}

/** @returns the body
 *  @throws when the status is another one */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
export function expected({ status, body }: Answer, ...statuses: readonly number[]): any {
  if (!statuses.includes(status)) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
