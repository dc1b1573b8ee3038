import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface Level {
  readonly bytes: number;
  readonly files: number;
}

/** Counts the objects of a bucket, and what they use. An object may come or go while they are counted.
 *  @param folder of the bucket
 *  @param isOwn whether something in the folder is no object, by its name */
export async function walk(folder: string, isOwn: (name: string) => boolean): Promise<Level> {
  let bytes = 0;
  let files = 0;
  const waiting = [folder];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entries = await readdir(at, { withFileTypes: true }).catch(() => []);
    const places = entries.filter(({ name }) => at !== folder || !isOwn(name));
    for (const entry of places) if (entry.isDirectory()) waiting.push(join(at, entry.name));
    const sizes = await Promise.all(
      places
        .filter((entry) => entry.isFile())
        .map((entry) =>
          stat(join(at, entry.name)).then(
            ({ size }) => size,
            () => undefined,
          ),
        ),
    );
    for (const size of sizes) {
      if (size === undefined) continue;
      bytes += size;
      files += 1;
    }
  }
  return { bytes, files };
}
