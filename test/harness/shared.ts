import { afterAll, beforeAll } from 'vitest';

interface Closable {
  close(): Promise<unknown>;
}

/** What all tests of a file share: it is started before the first of them, and closed after the last.
 *  @returns it, for use within tests; no part of it can be read before it is started */
export function shared<T extends Closable>(start: () => T | Promise<T>, timeoutMs?: number): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  }, timeoutMs);
  afterAll(() => started?.close());
  const now = (name: string | symbol) => {
    if (!started) throw new Error(`${String(name)} was asked for before the tests began`);
    return started;
  };
  return new Proxy({} as T, {
    get(_, name) {
      const part = Reflect.get(now(name), name);
      return typeof part === 'function' ? part.bind(started) : part;
    },
    set: (_, name, part) => Reflect.set(now(name), name, part),
  });
}
