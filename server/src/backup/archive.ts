import { createHash } from 'node:crypto';
import { closeSync, createWriteStream, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, type ZipFile as Opened, openPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { messageOf } from '../kernel/errors.ts';
import { syncNames } from '../kernel/files.ts';
import { BackupError, MANIFEST, type Manifest, type Part, readManifest } from './manifest.ts';

/** The file of a backup: a ZIP archive of parts, most of them archives of `tar`. Its list of entries comes last, so
 *  that one that is not finished cannot be taken for one that is. */

/** Much faster than the best one, and nearly as small. */
const COMPRESSION = { compressionLevel: 1, forceZip64Format: true, mode: 0o100600 };

/** A stream that counts, and knows what has passed. */
class Meter extends Transform {
  readonly #hash = createHash('sha256');
  #size = 0;

  override _transform(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    this.push(chunk);
    done();
  }

  /** Once everything has passed. */
  measured(): Pick<Part, 'size' | 'sha256'> {
    return { size: this.#size, sha256: this.#hash.digest('hex') };
  }
}

/** Writes a backup. It gets its name when it is complete. */
export class ArchiveWriter {
  readonly #file: string;
  readonly #draft: string;
  readonly #zip = new ZipFile();
  readonly #written: Promise<void>;
  readonly #parts = new Map<string, Part>();
  #entries = 0;

  /** @throws BackupError when the file cannot be made, or is there already */
  constructor(file: string) {
    if (existsSync(file)) throw new BackupError(`${file} exists: name another file, or remove it`);
    this.#file = file;
    this.#draft = `${file}.part`;
    try {
      rmSync(this.#draft, { force: true });
      // It holds keys and passwords.
      const fd = openSync(this.#draft, 'wx', 0o600);
      this.#written = pipeline(this.#zip.outputStream, createWriteStream(this.#draft, { fd }));
      this.#written.catch(() => undefined);
    } catch (error) {
      throw new BackupError(`${file} cannot be written (${messageOf(error)})`);
    }
  }

  /** Adds a part. A later one of the same name replaces it.
   *  @param ended when whoever fills the stream has ended well */
  async add(name: string, stream: Readable, ended: Promise<void> = Promise.resolve()): Promise<void> {
    const meter = new Meter();
    const entry = `${String(this.#entries++).padStart(4, '0')}-${name.replaceAll('/', '_')}`;
    this.#zip.addReadStream(meter, entry, COMPRESSION);
    // Should the disk be full, nobody reads any more.
    await Promise.race([pipeline(stream, meter), this.#written.then(() => undefined)]);
    await ended;
    this.#parts.set(name, { name, entry, ...meter.measured() });
  }

  addText(name: string, text: string): Promise<void> {
    return this.add(name, Readable.from([Buffer.from(text)]));
  }

  /** Completes it. */
  async finish(about: Omit<Manifest, 'parts' | 'format'>): Promise<Manifest> {
    const manifest: Manifest = { format: 1, ...about, parts: [...this.#parts.values()] };
    this.#zip.addBuffer(Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`), MANIFEST);
    this.#zip.end();
    await this.#written;
    const fd = openSync(this.#draft, 'r');
    fsyncSync(fd);
    closeSync(fd);
    renameSync(this.#draft, this.#file);
    syncNames(path.dirname(this.#file));
    return manifest;
  }

  discard(): void {
    rmSync(this.#draft, { force: true });
  }
}

/** A backup that is read. */
export class ArchiveReader {
  readonly manifest: Manifest;
  readonly #file: string;
  readonly #zip: Opened;
  readonly #entries: ReadonlyMap<string, Entry>;

  private constructor(file: string, zip: Opened, entries: ReadonlyMap<string, Entry>, manifest: Manifest) {
    this.#file = file;
    this.#zip = zip;
    this.#entries = entries;
    this.manifest = manifest;
  }

  /** @throws BackupError when it is none, or is not for this program, user or machine */
  static async open(file: string): Promise<ArchiveReader> {
    const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== undefined) throw new BackupError(`${file} cannot be read (${code})`);
      throw new BackupError(`${file} is no backup, or is not complete`);
    });
    try {
      const entries = new Map<string, Entry>();
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry);
      const about = entries.get(MANIFEST);
      if (about === undefined) throw new BackupError(`${file} is no backup: it has no ${MANIFEST}`);
      const text = await (await zip.openReadStreamPromise(about)).toArray();
      return new ArchiveReader(file, zip, entries, readManifest(Buffer.concat(text).toString(), file));
    } catch (error) {
      zip.close();
      throw error instanceof BackupError ? error : damaged(file, error);
    }
  }

  /** Reads all of it.
   *  @throws BackupError when anything is not as it was written */
  async verify(say: (part: Part) => void): Promise<void> {
    for (const part of this.manifest.parts) {
      say(part);
      const meter = new Meter();
      try {
        meter.resume();
        await pipeline(await this.open(part), meter);
      } catch (error) {
        throw error instanceof BackupError ? error : damaged(this.#file, error);
      }
      const { size, sha256 } = meter.measured();
      if (size !== part.size || sha256 !== part.sha256)
        throw damaged(this.#file, `${part.name} is not as it was written`);
    }
  }

  open({ entry, name }: Part): Promise<Readable> {
    const found = this.#entries.get(entry);
    if (!found) throw damaged(this.#file, `${name} is missing`);
    return this.#zip.openReadStreamPromise(found);
  }

  close(): void {
    this.#zip.close();
  }
}

const damaged = (file: string, error: unknown) =>
  new BackupError(`${file} is damaged, and nothing was restored: ${messageOf(error)}`);
