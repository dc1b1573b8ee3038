import { constants, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import ssh2, { type SFTPWrapper, type Attributes as SshAttributes } from 'ssh2';
import type { Counter } from './counter.ts';
import { answerRoom, endInOrder, POSIX_RENAME, STATVFS } from './extensions.ts';
import { type Attributes, changeOpen, type Folder } from './folder.ts';

/** What a client does with files, one request after the other. */

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;
const MOST_HANDLES = 200;
/** Requests that may wait: clients have some dozens under way. */
const MOST_WAITING = 2_000;
const MOST_READ = 256 * 1024;
const NAMES_AT_ONCE = 100;
const HANDLE_BYTES = 4;
const LOOK_EVERY_MS = 5;

interface OpenFile {
  readonly file: FileHandle;
  readonly appends: boolean;
}
type Names = AsyncGenerator<(readonly [string, Stats])[]>;
type Work = (id: number) => Promise<void>;

/** By the error of the operating system. */
const CODES: Readonly<Record<string, readonly [code: number, words: string]>> = {
  ENOENT: [STATUS_CODE.NO_SUCH_FILE, 'There is no such file'],
  ENOTDIR: [STATUS_CODE.NO_SUCH_FILE, 'There is no such folder'],
  ELOOP: [STATUS_CODE.NO_SUCH_FILE, 'There is no such file'],
  EACCES: [STATUS_CODE.PERMISSION_DENIED, 'This is not allowed'],
  EPERM: [STATUS_CODE.PERMISSION_DENIED, 'This is not allowed'],
  ENOSPC: [STATUS_CODE.FAILURE, 'The disk of this storage is full'],
  EDQUOT: [STATUS_CODE.FAILURE, 'The disk of this storage is full'],
  EFBIG: [STATUS_CODE.FAILURE, 'The file would be too large'],
  EEXIST: [STATUS_CODE.FAILURE, 'There is something with this name already'],
  ENOTEMPTY: [STATUS_CODE.FAILURE, 'The folder is not empty'],
  EISDIR: [STATUS_CODE.FAILURE, 'This is a folder'],
  EMFILE: [STATUS_CODE.FAILURE, 'Too many files are open in this session'],
  ENAMETOOLONG: [STATUS_CODE.FAILURE, 'The name is too long'],
};

export class Session {
  readonly #sftp: SFTPWrapper;
  readonly #folder: Folder;
  readonly #counter: Counter;
  readonly #files = new Map<number, OpenFile>();
  readonly #lists = new Map<number, Names>();
  #turn: Promise<void> = Promise.resolve();
  #waiting = 0;
  #lastHandle = 0;
  #closed = false;

  constructor(sftp: SFTPWrapper, folder: Folder, counter: Counter) {
    this.#sftp = sftp;
    this.#folder = folder;
    this.#counter = counter;
    sftp.on('error', () => undefined);
    // The client has said all that it wants: it is answered, and then hears that this is the end.
    sftp.on('end', () => {
      void this.#turn.then(() => this.close()).then(() => endInOrder(sftp, 0));
    });
    this.#handleFiles();
    this.#handlePaths();
  }

  /** Closes what is open, once what was begun has ended. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turn;
    for (const { file } of this.#files.values()) await file.close().catch(() => undefined);
    for (const names of this.#lists.values()) await names.return(undefined).catch(() => undefined);
    this.#files.clear();
    this.#lists.clear();
  }

  /** What is done with what is open. */
  #handleFiles(): void {
    const sftp = this.#sftp;
    sftp.on('OPEN', (id, path, flags, attributes) =>
      this.#do(id, () => this.#open(id, path, flags, attributes)),
    );
    sftp.on('READ', (id, handle, offset, length) =>
      this.#do(id, () => this.#read(id, handle, offset, length)),
    );
    sftp.on('WRITE', (id, handle, offset, data) => this.#do(id, () => this.#write(id, handle, offset, data)));
    sftp.on('FSTAT', (id, handle) =>
      this.#do(id, async () => sftp.attrs(id, shown(await this.#file(handle).file.stat()))),
    );
    sftp.on('FSETSTAT', (id, handle, attributes) =>
      this.#ok(id, () => changeOpen(this.#file(handle).file, desired(attributes))),
    );
    sftp.on('CLOSE', (id, handle) => this.#ok(id, () => this.#close(handle)));
    sftp.on('OPENDIR', (id, path) =>
      this.#do(id, async () => {
        this.#counter.request('out');
        this.#checkRoom();
        if (!(await this.#folder.stat(path)).isDirectory()) throw failure('ENOTDIR');
        this.#opened(id, this.#lists, this.#folder.list(path, NAMES_AT_ONCE));
      }),
    );
    sftp.on('READDIR', (id, handle) => this.#do(id, () => this.#readNames(id, handle)));
  }

  /** What is done by path. */
  #handlePaths(): void {
    const sftp = this.#sftp;
    const folder = this.#folder;
    const stat: (id: number, path: string) => void = (id, path) =>
      this.#do(id, async () => {
        this.#counter.request('out');
        sftp.attrs(id, shown(await folder.stat(path)));
      });
    // There are no links to follow.
    sftp.on('STAT', stat);
    sftp.on('LSTAT', stat);
    sftp.on('REALPATH', (id, path) =>
      this.#do(id, async () => {
        const filename = folder.plain(path);
        sftp.name(id, [{ filename, longname: filename, attrs: {} as SshAttributes }]);
      }),
    );
    sftp.on('SETSTAT', (id, path, attributes) =>
      this.#change(id, () => folder.change(path, desired(attributes))),
    );
    sftp.on('MKDIR', (id, path) => this.#change(id, () => folder.makeFolder(path)));
    sftp.on('RMDIR', (id, path) => this.#change(id, () => folder.removeFolder(path)));
    sftp.on('REMOVE', (id, path) => this.#change(id, () => folder.removeFile(path)));
    sftp.on('RENAME', (id, from, to) => this.#change(id, () => folder.rename(from, to, false)));
    sftp.on('EXTENDED', (id, name, data) => {
      if (name === STATVFS) this.#do(id, () => this.#answerRoom(id, data));
      else this.#change(id, () => this.#extended(name, data));
    });
    sftp.on('READLINK', (id) => this.#refuse(id, 'There are no links in a storage'));
    sftp.on('SYMLINK', (id) => this.#refuse(id, 'There are no links in a storage'));
  }

  #refuse(id: number, words: string): void {
    this.#do(id, async () => this.#sftp.status(id, STATUS_CODE.OP_UNSUPPORTED, words));
  }

  /** Names are written over by this one alone, as POSIX has it. */
  async #extended(name: string, data: Buffer | null): Promise<void> {
    const [from, to] = textsOf(data);
    if (name !== POSIX_RENAME || from === undefined || to === undefined) throw failure('EOPNOTSUPP');
    await this.#folder.rename(from, to, true);
  }

  async #answerRoom(id: number, data: Buffer | null): Promise<void> {
    const [path = '/'] = textsOf(data);
    this.#counter.request('out');
    if (!answerRoom(this.#sftp, id, await this.#folder.room(path))) throw failure('EAGAIN');
  }

  #change(id: number, work: () => Promise<void>): void {
    this.#ok(id, () => {
      this.#counter.request('in');
      return work();
    });
  }

  #ok(id: number, work: () => Promise<void>): void {
    this.#do(id, async () => {
      await work();
      this.#sftp.status(id, STATUS_CODE.OK);
    });
  }

  /** Does a request in its turn, and says why when it cannot be done. */
  #do(id: number, work: Work): void {
    this.#waiting += 1;
    if (this.#waiting > MOST_WAITING) return void endInOrder(this.#sftp, 1);
    this.#turn = this.#turn.then(async () => {
      this.#waiting -= 1;
      if (this.#closed) return;
      try {
        await work(id);
      } catch (error) {
        const { code = '' } = error as NodeJS.ErrnoException;
        const [status, words] = CODES[code] ?? [
          code === 'EOPNOTSUPP' ? STATUS_CODE.OP_UNSUPPORTED : STATUS_CODE.FAILURE,
          'This cannot be done',
        ];
        this.#sftp.status(id, status, words);
      }
    });
  }

  async #open(id: number, path: string, flags: number, attributes: SshAttributes): Promise<void> {
    const writes = (flags & (OPEN_MODE.WRITE | OPEN_MODE.APPEND)) !== 0;
    this.#counter.request(writes ? 'in' : 'out');
    this.#checkRoom();
    const file = await this.#folder.open(path, flagsOf(flags));
    const { mode } = desired(attributes);
    if (writes && mode !== undefined) await changeOpen(file, { mode });
    this.#opened(id, this.#files, { file, appends: (flags & OPEN_MODE.APPEND) !== 0 });
  }

  /** Before anything is opened: what has no handle nobody would close. */
  #checkRoom(): void {
    if (this.#files.size + this.#lists.size >= MOST_HANDLES) throw failure('EMFILE');
  }

  #opened<T>(id: number, among: Map<number, T>, what: T): void {
    this.#lastHandle += 1;
    among.set(this.#lastHandle, what);
    const handle = Buffer.alloc(HANDLE_BYTES);
    handle.writeUInt32BE(this.#lastHandle);
    this.#sftp.handle(id, handle);
  }

  async #read(id: number, handle: Buffer, offset: number, length: number): Promise<void> {
    const { file } = this.#file(handle);
    const room = Buffer.allocUnsafe(Math.min(length, MOST_READ));
    const { bytesRead } = await file.read(room, 0, room.length, offset);
    if (bytesRead === 0) return this.#sftp.status(id, STATUS_CODE.EOF);
    this.#sftp.data(id, room.subarray(0, bytesRead));
    // A client that asks and does not listen must not fill the memory.
    while (!this.#closed && this.#unsent() > 0) await delay(LOOK_EVERY_MS);
  }

  #unsent(): number {
    return (this.#sftp as unknown as { _buffer?: readonly unknown[] })._buffer?.length ?? 0;
  }

  async #write(id: number, handle: Buffer, offset: number, data: Buffer): Promise<void> {
    const { file, appends } = this.#file(handle);
    for (let done = 0; done < data.length; ) {
      const at = appends ? null : offset + done;
      done += (await file.write(data, done, data.length - done, at)).bytesWritten;
    }
    this.#sftp.status(id, STATUS_CODE.OK);
  }

  async #readNames(id: number, handle: Buffer): Promise<void> {
    const names = this.#lists.get(numberOf(handle));
    if (!names) throw failure('EBADF');
    for (;;) {
      const { value, done } = await names.next();
      if (done) return this.#sftp.status(id, STATUS_CODE.EOF);
      if (value.length === 0) continue;
      const entries = value.map(([filename, stats]) => ({
        filename,
        longname: longName(filename, stats),
        attrs: shown(stats),
      }));
      return this.#sftp.name(id, entries);
    }
  }

  #file(handle: Buffer): OpenFile {
    const found = this.#files.get(numberOf(handle));
    if (!found) throw failure('EBADF');
    return found;
  }

  async #close(handle: Buffer): Promise<void> {
    const number = numberOf(handle);
    const names = this.#lists.get(number);
    if (names) {
      this.#lists.delete(number);
      await names.return(undefined);
      return;
    }
    const { file } = this.#file(handle);
    this.#files.delete(number);
    await file.close();
  }
}

const failure = (code: string) => Object.assign(new Error(code), { code });
const numberOf = (handle: Buffer) => (handle.length === HANDLE_BYTES ? handle.readUInt32BE() : -1);

function flagsOf(flags: number): number {
  const has = (flag: number) => (flags & flag) !== 0;
  const [reads, writes] = [has(OPEN_MODE.READ), has(OPEN_MODE.WRITE) || has(OPEN_MODE.APPEND)];
  const way = reads && writes ? constants.O_RDWR : writes ? constants.O_WRONLY : constants.O_RDONLY;
  return [
    [OPEN_MODE.APPEND, constants.O_APPEND],
    [OPEN_MODE.CREAT, constants.O_CREAT],
    [OPEN_MODE.TRUNC, constants.O_TRUNC],
    [OPEN_MODE.EXCL, constants.O_EXCL],
  ].reduce((all, [theirs = 0, ours = 0]) => (has(theirs) ? all | ours : all), way);
}

/** Owners are none of a client's business. */
function desired({ size, mode, atime, mtime }: Partial<SshAttributes>): Attributes {
  return Object.fromEntries(
    Object.entries({ size, mode, atime, mtime }).filter(([, value]) => value !== undefined),
  );
}

const shown = (stats: Stats): SshAttributes => ({
  mode: stats.mode,
  uid: 0,
  gid: 0,
  size: stats.size,
  atime: Math.floor(stats.atimeMs / 1000),
  mtime: Math.floor(stats.mtimeMs / 1000),
});

function longName(name: string, stats: Stats): string {
  const kind = stats.isDirectory() ? 'd' : '-';
  const rights = [6, 3, 0]
    .flatMap((shift) => ['r', 'w', 'x'].map((letter, i) => ((stats.mode >> shift) & (4 >> i) ? letter : '-')))
    .join('');
  const when = stats.mtime.toISOString().slice(0, 16).replace('T', ' ');
  return `${kind}${rights} 1 owner owner ${stats.size} ${when} ${name}`;
}

/** The texts of an extended request, each after its length. */
function textsOf(data: Buffer | null): string[] {
  const texts: string[] = [];
  for (let at = 0; data && at + 4 <= data.length; ) {
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) break;
    texts.push(data.toString('utf8', at + 4, end));
    at = end;
  }
  return texts;
}
