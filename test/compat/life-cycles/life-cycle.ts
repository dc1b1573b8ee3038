import { expect } from 'vitest';
import type { Reply, TestServer } from '../../harness/server.ts';

/** The life of a resource as the infrastructure tool lives it. Its plan is empty when a second read equals the first
 *  one, and both equal what was sent. */

export type Json = Readonly<Record<string, unknown>>;

export interface Update {
  readonly method: 'PATCH' | 'PUT' | 'POST';
  /** After the path of the resource. */
  readonly path?: string;
  /** Of which version of the API; that of the resource by default. */
  readonly version?: 'v1' | 'v2' | 'v3';
  /** What the resource is called there, if not as where it is read. */
  readonly noun?: string;
  readonly body: Json;
  /** What is different after it, beside times and revisions. */
  readonly shows: Json;
}

/** What the older line of the tool does otherwise than the newer one. What is absent is as in the newer one. */
export interface Older {
  readonly createdAt?: string;
  readonly body: Json;
  /** Null: the answer is the resource. */
  readonly kind?: string | null;
  readonly shows?: Json;
  readonly unread?: readonly string[];
  readonly updates?: readonly Update[];
}

export interface LifeCycle {
  readonly path: string;
  /** Where it is created, if not there. */
  readonly createdAt?: string;
  /** As the newer line of the tool sends it, and the SDKs. */
  readonly body: Json;
  /** As the older line sends it, where that is not the same. */
  readonly older?: Older;
  /** The operation whose fields are changed, each alone. */
  readonly changedBy?: string;
  /** Fields that are not changed alone here, and why. */
  readonly left?: Readonly<Record<string, string>>;
  /** Key of `created_resources`; absent: the answer is the resource, and `id` its key. */
  readonly kind?: string;
  /** Field of the answer that stands in the path; default: `id`. */
  readonly key?: string;
  /** What is read after a creation, where it is not what was sent. */
  readonly shows?: Json;
  /** Fields of the body that are not answered. */
  readonly unread?: readonly string[];
  readonly updates?: readonly Update[];
  /** Lists that these clients regard as an error when they are null. */
  readonly lists?: readonly string[];
  readonly times: Readonly<Record<string, RegExp>>;
  /** Where it is deleted, if not where it is read. */
  readonly deletedAt?: (id: string) => string;
}

const seconds = '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d';
export const OFFSET = new RegExp(`${seconds}\\+0000$`);
export const ZULU = new RegExp(`${seconds}Z$`);
export const COLON = new RegExp(`${seconds}\\+00:00$`);

/** What changes by itself with any change. */
const MOVING = ['updated_at', 'revision_number', 'security_group_rules'] as const;

/** The cycle as the older line of the tool lives it. */
export function olderOf({ older, ...cycle }: LifeCycle): LifeCycle {
  if (older === undefined) return cycle;
  const { kind, ...own } = older;
  const { kind: before, ...rest } = cycle;
  const found = kind === undefined ? before : (kind ?? undefined);
  return { ...rest, ...own, ...(found === undefined ? {} : { kind: found }) };
}

/** Plays a life to its end: create, read twice, update each field alone, read, import by id, delete, read 404. */
export async function live(server: TestServer, cycle: LifeCycle): Promise<void> {
  const player = new Player(server);
  const id = await player.create(cycle);
  const one = `${cycle.path}/${id}`;
  let now = await player.readTwice(one);
  const sent = Object.entries(cycle.body).filter(([name]) => !cycle.unread?.includes(name));
  expect(now).toMatchObject({ ...Object.fromEntries(sent), ...cycle.shows });
  decoded(now, cycle);
  for (const update of cycle.updates ?? []) {
    await player.settled(await player.call(update.method, changedAt(one, update), update.body));
    const after = await player.readTwice(one);
    expect(after).toMatchObject(update.shows);
    expect(rest(after, Object.keys(update.shows))).toEqual(rest(now, Object.keys(update.shows)));
    decoded(after, cycle);
    now = after;
  }
  const imported = await player.readTwice(one);
  expect(imported).toEqual(now);
  await player.settled(await player.call('DELETE', cycle.deletedAt?.(id) ?? one));
  expect((await player.call('GET', one)).status).toBe(404);
}

function changedAt(one: string, { path = '', version = versionOf(one), noun }: Update): string {
  const at = `${one}${path}`.replace(/\/v\d\//, `/${version}/`);
  return noun === undefined ? at : at.replace(/^(\/\w+\/v\d\/)\w+/, `$1${noun}`);
}

const versionOf = (path: string) => (/\/(v\d)\//.exec(path)?.[1] ?? 'v1') as NonNullable<Update['version']>;

function rest(resource: Json, changed: readonly string[]): Json {
  const left = Object.entries(resource).filter(
    ([name]) => !changed.includes(name) && !(MOVING as readonly string[]).includes(name),
  );
  return Object.fromEntries(left);
}

/** What the tools decode into certain types. */
function decoded(resource: Json, { times, lists = [] }: LifeCycle): void {
  for (const [field, form] of Object.entries(times)) expect(resource[field], field).toMatch(form);
  for (const field of lists) expect(resource[field], field).toEqual(expect.any(Array));
}

class Player {
  readonly #server: TestServer;

  constructor(server: TestServer) {
    this.#server = server;
  }

  call(method: string, path: string, body?: Json): Promise<Reply> {
    return this.#server.call(method, path, body === undefined ? {} : { body });
  }

  async create({ path, createdAt = path, body, kind, key = 'id' }: LifeCycle): Promise<string> {
    const reply = await this.call('POST', createdAt, body);
    expect([200, 201], JSON.stringify(reply.body)).toContain(reply.status);
    if (kind === undefined) return String(reply.body[key]);
    const task = await this.#task(reply);
    expect(task.created_resources?.[kind]).toHaveLength(1);
    return key === 'id' ? String(task.created_resources?.[kind]?.[0]) : String(body[key]);
  }

  async readTwice(path: string): Promise<Json> {
    const first = await this.call('GET', path);
    expect(first.status, `${path} ${JSON.stringify(first.body)}`).toBe(200);
    expect((await this.call('GET', path)).body).toEqual(first.body);
    return first.body;
  }

  /** A client uses the first of the tasks unchecked, where there are tasks. */
  async settled(reply: Reply): Promise<void> {
    expect([200, 204], JSON.stringify(reply.body)).toContain(reply.status);
    if (reply.body?.tasks) await this.#task(reply);
  }

  async #task(reply: Reply) {
    expect(reply.body.tasks).toHaveLength(1);
    const task = await this.#server.ended(reply);
    expect(task).toMatchObject({ state: 'FINISHED', error: null });
    return task;
  }
}
