import { expect } from 'vitest';
import type { Reply, TestServer } from '../../harness/server.ts';
import { waitUntil } from '../../harness/wait.ts';

/** An older infrastructure tool: its calls in its order, and what it makes of the answers. */

export type Json = Readonly<Record<string, unknown>>;
// biome-ignore lint/suspicious/noExplicitAny: a tool looks into answers of every shape
export type Answer = any;

/** The path of a noun in project 1 and region 2. */
export const scoped = (noun: string, version = 'v1') => `/cloud/${version}/${noun}/1/2`;

export class OlderTool {
  readonly #server: TestServer;

  constructor(server: TestServer) {
    this.#server = server;
  }

  call(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.#server.call(method, path, body === undefined ? {} : { body });
  }

  /** The answer of a call that has to succeed. */
  async does(method: string, path: string, body?: unknown): Promise<Answer> {
    const reply = await this.call(method, path, body);
    expect([200, 201, 204], `${method} ${path}: ${JSON.stringify(reply.body)}`).toContain(reply.status);
    return reply.body;
  }

  /** Uses the first task without a look, and asks for it until it has ended. */
  async finished(method: string, path: string, body?: unknown): Promise<Answer> {
    const [id] = (await this.does(method, path, body)).tasks;
    const task = await waitUntil(
      async () => {
        const now = await this.does('GET', `/cloud/v1/tasks/${id}`);
        return now.state === 'NEW' || now.state === 'RUNNING' ? undefined : now;
      },
      { what: `task ${id}` },
    );
    expect(task).toMatchObject({ state: 'FINISHED', error: null });
    return task;
  }

  /** @param kind key of `created_resources`, under which exactly one id is expected */
  async created(path: string, body: Json, kind: string): Promise<string> {
    const task = await this.finished('POST', path, body);
    expect(task.created_resources?.[kind]).toHaveLength(1);
    return String(task.created_resources[kind][0]);
  }

  /** Reads twice, as a tool does before it plans: both answers are the same, so that its plan is empty. */
  async read(path: string): Promise<Answer> {
    const first = await this.does('GET', path);
    expect(await this.does('GET', path)).toEqual(first);
    return first;
  }

  /** Deletes by a task, and then there is nothing. */
  async deleted(path: string): Promise<void> {
    await this.finished('DELETE', path);
    await this.gone(path);
  }

  async gone(path: string): Promise<void> {
    const { status, body } = await this.call('GET', path);
    expect([status, body.exception_class]).toEqual([404, 'NotFoundError']);
  }

  /** Adds, lists, replaces and removes tags by themselves.
   *  @param path of the noun
   *  @param item of one tag, where it is not `metadata_item?key=` */
  async tags(path: string, item = (key: string) => `${path}/metadata_item?key=${key}`): Promise<void> {
    const list = `${path}/metadata`;
    const tag = (key: string, value: string) => ({ key, value, read_only: false });
    const listed = async () => {
      const { count, results } = await this.read(list);
      expect(count).toBe(results.length);
      return results;
    };
    await this.does('PUT', list, { team: 'a', stage: 'test' });
    expect(await listed()).toEqual(expect.arrayContaining([tag('team', 'a'), tag('stage', 'test')]));
    await this.does('POST', list, { stage: 'live', more: 'yes' });
    expect(await listed()).toHaveLength(3);
    expect(await this.read(item('stage'))).toEqual(tag('stage', 'live'));
    expect(await this.does('DELETE', item('more'))).toBe('');
    expect((await this.call('GET', item('more'))).status).toBe(404);
    expect((await this.call('DELETE', item('more'))).status).toBe(404);
    await this.does('PUT', list, { team: 'b' });
    expect(await listed()).toEqual([tag('team', 'b')]);
    const refused = await this.call('POST', list, { 'no key': 'x' });
    expect([refused.status, Object.keys(refused.body.invalid_fields)]).toEqual([400, ['metadata.no key']]);
  }
}
