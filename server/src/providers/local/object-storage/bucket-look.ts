import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DesiredKey, ObservedBucket } from '../../../features/object-storage/port.ts';
import { noteApplied, observeBucket, readersOf } from './apply.ts';
import type { Server } from './server.ts';

interface Seen {
  readonly changedAt: number;
  readonly bucket: ObservedBucket;
}

/** What is known of the buckets of one storage. The server keeps policies and CORS with the folder of a bucket: while
 *  the time of its last change is the same, the bucket is not asked for again. */
export class BucketLook {
  #seen = new Map<string, Seen>();
  #readers = '';

  /** All buckets that there are, in the order of their names. */
  async look(server: Server, keys: readonly DesiredKey[]): Promise<ObservedBucket[]> {
    const readers = readersOf(keys);
    const before = this.#readers === readers.join() ? this.#seen : new Map<string, Seen>();
    const seen = new Map<string, Seen>();
    for (const name of await server.bucketNames()) {
      const changedAt = statSync(join(server.paths.data, name), { throwIfNoEntry: false })?.ctimeMs;
      if (changedAt === undefined) continue;
      const known = before.get(name);
      if (known?.changedAt === changedAt) seen.set(name, known);
      else seen.set(name, { changedAt, bucket: await observeBucket(server, name, readers) });
    }
    const changed = [...seen].filter(([name, each]) => before.get(name) !== each);
    if (changed.length > 0)
      noteApplied(
        server,
        changed.map(([, { bucket }]) => bucket),
        readers,
      );
    this.#seen = seen;
    this.#readers = readers.join();
    return [...seen.values()].map(({ bucket }) => bucket);
  }
}
