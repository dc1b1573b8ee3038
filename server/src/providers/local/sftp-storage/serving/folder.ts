import { constants, type Stats, type StatsFs } from 'node:fs';
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  opendir,
  realpath,
  rename,
  rmdir,
  statfs,
  unlink,
} from 'node:fs/promises';
import { join, posix, resolve } from 'node:path';

/** The folder of a storage as its clients see it: their `/`. What is a link, or neither file nor folder, is not there
 *  for them, wherever it came from; they can make none. */

const LONGEST_PATH = 4096;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_DIRECTORY } = constants;

/** What is refused, in the words of the operating system. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const absent = () => new Refused('ENOENT', 'There is no such file');

export interface Attributes {
  readonly size?: number;
  readonly mode?: number;
  readonly atime?: number;
  readonly mtime?: number;
}

export class Folder {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The path as clients are to write it. */
  plain(path: string): string {
    return posix.resolve('/', path);
  }

  /** Where something is, or would be. Its name is not looked at, the way to it is: no link leads away.
   *  @throws Refused */
  async #scope(path: string): Promise<string> {
    if (path.includes('\0') || path.length > LONGEST_PATH) throw absent();
    const plain = this.plain(path);
    const root = await realpath(this.#root);
    const scope = plain === '/' ? root : join(root, plain);
    const parent = plain === '/' ? root : resolve(scope, '..');
    if ((await realpath(parent)) !== parent) throw absent();
    return scope;
  }

  /** The same of something that is not the folder itself. */
  async #inside(path: string): Promise<string> {
    if (this.plain(path) === '/') throw new Refused('EPERM', 'This is the storage itself');
    return this.#scope(path);
  }

  async stat(path: string): Promise<Stats> {
    const stats = await lstat(await this.#scope(path));
    if (!isShown(stats)) throw absent();
    return stats;
  }

  /** How much room there is for what is below a path. */
  async room(path: string): Promise<StatsFs> {
    await this.stat(path);
    return statfs(await this.#scope(path));
  }

  async open(path: string, flags: number): Promise<FileHandle> {
    // Others than files must not hold it up, nor be read or written.
    const file = await open(await this.#inside(path), flags | O_NOFOLLOW | O_NONBLOCK, 0o600);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new Refused('EISDIR', 'This is no file');
  }

  /** Names and what they are, a part at a time: a folder may have millions. */
  async *list(path: string, most: number): AsyncGenerator<(readonly [string, Stats])[]> {
    const scope = await this.#scope(path);
    const found = async (names: readonly string[]) => {
      const all = await Promise.all(
        names.map(async (name) => {
          const stats = await lstat(join(scope, name)).catch(() => undefined);
          return stats && isShown(stats) ? [[name, stats] as const] : [];
        }),
      );
      return all.flat();
    };
    let names: string[] = [];
    // Ending the generator closes the folder.
    for await (const { name } of await opendir(scope)) {
      names.push(name);
      if (names.length < most) continue;
      yield await found(names);
      names = [];
    }
    if (names.length > 0) yield await found(names);
  }

  async makeFolder(path: string): Promise<void> {
    await mkdir(await this.#inside(path), 0o700);
  }

  async removeFolder(path: string): Promise<void> {
    await rmdir(await this.#inside(path));
  }

  async removeFile(path: string): Promise<void> {
    await this.stat(path);
    await unlink(await this.#inside(path));
  }

  /** @param replaces whether a file that has the new name already goes */
  async rename(from: string, to: string, replaces: boolean): Promise<void> {
    await this.stat(from);
    const [before, after] = [await this.#inside(from), await this.#inside(to)];
    const exists = await lstat(after).then(
      () => true,
      () => false,
    );
    if (exists && !replaces) throw new Refused('EEXIST', 'There is something with this name already');
    await rename(before, after);
  }

  async change(path: string, attributes: Attributes): Promise<void> {
    const stats = await this.stat(path);
    const needsWriting = attributes.size !== undefined ? constants.O_WRONLY : O_RDONLY;
    const kind = stats.isDirectory() ? O_RDONLY | O_DIRECTORY : needsWriting;
    const file = await open(await this.#scope(path), kind | O_NOFOLLOW | O_NONBLOCK);
    try {
      await changeOpen(file, attributes);
    } finally {
      await file.close();
    }
  }
}

/** Its owner can always read and write it: what nobody can enter could be neither counted nor removed. */
export async function changeOpen(file: FileHandle, { size, mode, atime, mtime }: Attributes): Promise<void> {
  if (size !== undefined) await file.truncate(size);
  if (mode !== undefined) {
    const needed = (await file.stat()).isDirectory() ? 0o700 : 0o600;
    await file.chmod((mode & 0o777) | needed);
  }
  if (atime !== undefined && mtime !== undefined) await file.utimes(atime, mtime);
}

const isShown = (stats: Stats) => stats.isFile() || stats.isDirectory();
