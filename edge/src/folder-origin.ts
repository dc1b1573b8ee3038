import { constants, existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { cacheControl, mediaType, OTHER_TYPE } from './media-types.ts';
import { type Origin, refuse } from './origin.ts';
import type { ByteRange } from './ranges.ts';
import { begin, sendWhole, type Version } from './send.ts';

/** Files up to this size (playlists, mostly) are kept in memory. */
const SMALL = 64 * 1024;
const KEPT_FILES = 1000;
/** How long a kept file is served without a look at the disk; a live playlist changes every few seconds. */
const FRESH_MS = 100;
const CHUNK = 256 * 1024;
const HAS_PROC = existsSync('/proc/self/fd');

interface Kept extends Version {
  readonly body: Buffer;
  checkedAt: number;
}

/** Regular files in a folder. Links in it lead nowhere, whoever made them, and nothing is waited for. */
export class FolderOrigin implements Origin {
  readonly #root: () => string;
  readonly #kept = new Map<string, Kept>();

  /** @param root the folder, or what says where it is now */
  constructor(root: string | (() => string)) {
    this.#root = typeof root === 'string' ? () => root : root;
  }

  async serve(file: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
    const kept = await this.#fresh(file);
    if (kept) return sendWhole(kept, kept.body, request, response);
    const handle = await openBelow(this.#root(), file).catch(absent);
    if (!handle) return refuse(response, 404);
    // The opened file is described, not the name: it may be replaced at any moment.
    let owned = true;
    try {
      const info = await handle.stat();
      if (!info.isFile()) return refuse(response, 404);
      const version = versionOf(file, info);
      if (version.size <= SMALL) {
        const body = await handle.readFile();
        this.#keep(file, { ...version, body, checkedAt: performance.now() });
        return sendWhole({ ...version, size: body.length }, body, request, response);
      }
      const part = begin(version, request, response);
      if (!part) return 0;
      owned = false;
      return await streamed(handle, part, response);
    } finally {
      if (owned) await handle.close();
    }
  }

  close(): void {
    this.#kept.clear();
  }

  /** The kept file, if it is still what lies on the disk. */
  async #fresh(file: string): Promise<Kept | undefined> {
    const kept = this.#kept.get(file);
    if (!kept || performance.now() - kept.checkedAt < FRESH_MS) return kept;
    const info = await lstat(path.join(this.#root(), file)).catch(absent);
    if (info && etagOf(info) === kept.etag) {
      kept.checkedAt = performance.now();
      return kept;
    }
    this.#kept.delete(file);
    return undefined;
  }

  #keep(file: string, kept: Kept): void {
    if (kept.body.length !== kept.size) return;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= KEPT_FILES && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(file, kept);
  }
}

/** Opens a file for reading, unless a link is on the way to it. A pipe is not waited for.
 *  @throws ENOENT when one is */
async function openBelow(root: string, file: string): Promise<FileHandle> {
  const name = path.join(root, file);
  const handle = await open(name, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    // The kernel knows where the opened file is. A playlist may have been replaced since.
    const real = HAS_PROC
      ? (await readlink(`/proc/self/fd/${handle.fd}`)).replace(/ \(deleted\)$/, '')
      : await realpath(name);
    // Of a folder that was opened before, the way to it may be closed by now.
    const from = root.startsWith('/proc/self/fd/') ? await readlink(root) : await realpath(root);
    if (real === path.join(from, file)) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  throw Object.assign(new Error(`${name} is behind a link`), { code: 'ENOENT' });
}

async function streamed(handle: FileHandle, range: ByteRange, response: ServerResponse): Promise<number> {
  const source = handle.createReadStream({ ...range, highWaterMark: CHUNK });
  // A viewer who leaves in the middle is nothing to report.
  await pipeline(source, response).catch(() => response.destroy());
  return source.bytesRead;
}

interface FileInfo {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

function versionOf(file: string, info: FileInfo): Version {
  const modified = Math.floor(info.mtimeMs / 1000);
  const etag = etagOf(info);
  const headers = {
    'content-type': mediaType(file) ?? OTHER_TYPE,
    'content-length': info.size,
    'cache-control': cacheControl(file),
    'last-modified': new Date(modified * 1000).toUTCString(),
    etag,
    'accept-ranges': 'bytes',
  };
  return { etag, modified, size: info.size, headers };
}

const etagOf = ({ size, mtimeMs, ino }: FileInfo) =>
  `"${Math.round(mtimeMs * 1000).toString(36)}-${size.toString(36)}-${ino.toString(36)}"`;

/** Names of things that are not there, or are no files, or can be none. */
function absent(error: NodeJS.ErrnoException): undefined {
  if (['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'ENXIO', 'EISDIR'].includes(error.code ?? ''))
    return undefined;
  throw error;
}
