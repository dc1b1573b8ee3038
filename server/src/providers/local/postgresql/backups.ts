import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup, BackupSchedule } from '../../../features/managed-postgresql/port.ts';
import { messageOf, TaskFailed } from '../../../kernel/errors.ts';
import { readJson, removeFolder, syncNames, writeFileAtomically } from '../../../kernel/files.ts';
import { copyTree } from '../host/copy-tree.ts';
import { makeOwnFolder, makePassage } from '../host/files.ts';
import { copyData } from './copy-data.ts';
import type { Server } from './server.ts';

const HOUR_MS = 3_600_000;
const TRY_AGAIN_MS = 60_000;
const ARCHIVE_MS = 60_000;

/** What is noted beside a copy, which counts when there are both: the note comes first, and goes first. */
interface Meta extends Backup {
  /** The first file of the log of changes that it needs. */
  readonly startFile: string;
}

interface Known extends Meta {
  readonly folder: string;
}

export interface BackupsDeps {
  readonly log: { warn(details: object, message: string): void };
  date(): Date;
}

const NOTE = '.json';
/** @param copy its name, or its path */
const noteOf = (copy: string) => `${copy}${NOTE}`;
const shell = (path: string) => `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;

/** Copies of a cluster, and its log of changes since the oldest of them: together they give every moment since. */
export class Backups {
  readonly #home: string;
  readonly #folder: string;
  readonly #deps: BackupsDeps;
  #end = new AbortController();
  #copying: Promise<void> | undefined;
  #notBefore = 0;

  /** @param home of the cluster */
  constructor(home: string, deps: BackupsDeps) {
    this.#home = home;
    this.#folder = join(home, 'backups');
    this.#deps = deps;
  }

  /** Keeps a file of the log of changes; whole, or not at all. */
  get archiveCommand(): string {
    const to = shell(this.#wal);
    return `cp "%p" ${to}/%f.part && mv -f ${to}/%f.part ${to}/%f`;
  }

  /** Copies what has been kept of the log of changes since a backup into a folder of another cluster. */
  async copyLog({ startFile }: Known, folder: string, home: string): Promise<void> {
    const needed = readdirSync(this.#wal).filter((name) => isNeeded(name, startFile));
    await copyTree({ folder: this.#wal, home: this.#home }, { folder, home }, needed);
  }

  /** Where servers put what they archive; it has to be there before they do. */
  makeFolder(): void {
    makePassage(this.#folder);
    makeOwnFolder(this.#wal, this.#home);
  }

  /** Begins a copy when it is time for one. @returns those that are there, the oldest first */
  async reconcile(
    schedule: BackupSchedule | null,
    primary: Server,
    binaries: string,
  ): Promise<readonly Backup[]> {
    if (schedule === null) {
      if (!this.#copying) await removeFolder(this.#folder);
      return [];
    }
    const now = this.#deps.date().getTime();
    const last = this.list().at(-1);
    const due = last ? Date.parse(last.taken_at) + schedule.every_hours * HOUR_MS : 0;
    if (!this.#copying && now >= Math.max(due, this.#notBefore)) this.#begin(primary, binaries, schedule);
    return this.kept();
  }

  /** The oldest first. */
  kept(): readonly Backup[] {
    return this.list().map(({ taken_at, size_bytes }) => ({ taken_at, size_bytes }));
  }

  list(): Known[] {
    if (!existsSync(this.#folder)) return [];
    const names = new Set(readdirSync(this.#folder));
    return [...names]
      .flatMap((name) => {
        const meta = names.has(noteOf(name)) ? readJson<Meta>(join(this.#folder, noteOf(name))) : null;
        return meta ? [{ ...meta, folder: join(this.#folder, name) }] : [];
      })
      .sort((a, b) => a.taken_at.localeCompare(b.taken_at));
  }

  /** The newest copy of before a moment.
   *  @throws TaskFailed when there is none */
  before(until: string | null): Known {
    const found = this.list().findLast(
      ({ taken_at: at }) => until === null || Date.parse(at) <= Date.parse(until),
    );
    if (!found) throw new TaskFailed(`There is no backup of ${until === null ? 'it' : `before ${until}`}`);
    return found;
  }

  /** Removes them: servers of another version cannot read them. A copy that is being made ends. */
  async forget(): Promise<void> {
    this.#end.abort();
    await this.#copying;
    this.#end = new AbortController();
    this.#notBefore = 0;
    await removeFolder(this.#folder);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#copying;
  }

  get #wal(): string {
    return join(this.#folder, 'wal');
  }

  #begin(primary: Server, binaries: string, schedule: BackupSchedule): void {
    this.makeFolder();
    this.#notBefore = this.#deps.date().getTime() + TRY_AGAIN_MS;
    this.#copying = this.#copy(primary, binaries, schedule)
      .catch((error: unknown) => {
        if (!this.#end.signal.aborted)
          this.#deps.log.warn({ cluster: primary.paths.id }, `there is no new backup: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#copying = undefined;
      });
  }

  async #copy(primary: Server, binaries: string, { keep }: BackupSchedule): Promise<void> {
    await this.#sweep();
    const draft = join(this.#folder, 'draft');
    try {
      const { startFile, size } = await copyData(primary, draft, binaries, this.#end.signal);
      const date = this.#deps.date();
      const folder = join(this.#folder, `base-${date.getTime()}`);
      const meta: Meta = { taken_at: date.toISOString(), size_bytes: size, startFile };
      writeFileAtomically(noteOf(folder), JSON.stringify(meta), { durable: true });
      renameSync(draft, folder);
      syncNames(this.#folder);
    } catch (error) {
      // A copy that fails must not keep the room that it took.
      await removeFolder(draft);
      throw error;
    }
    await this.#prune(keep);
  }

  /** Removes what was left by whoever was killed while it kept a copy or removed one: half of it does not count. */
  async #sweep(): Promise<void> {
    const names = new Set(readdirSync(this.#folder));
    const isWhole = (name: string) => names.has(noteOf(name)) || names.has(name.slice(0, -NOTE.length));
    for (const name of names)
      if (name.startsWith('base-') && !isWhole(name)) await removeFolder(join(this.#folder, name));
  }

  /** Removes the oldest, and what of the log of changes only they needed. */
  async #prune(keep: number): Promise<void> {
    const all = this.list();
    for (const { folder } of all.slice(0, -keep)) {
      rmSync(noteOf(folder));
      await removeFolder(folder);
    }
    const oldest = all.slice(-keep)[0];
    if (!oldest) return;
    for (const name of readdirSync(this.#wal))
      if (!isNeeded(name, oldest.startFile)) rmSync(join(this.#wal, name), { force: true });
  }
}

/** Gives kept files to a server that is being restored. It asks until there are no more: what is missing is no fault, which
 *  the server's log would show as one.
 *  @param folder where they are */
export function restoreCommand(folder: string): string {
  const from = `${shell(folder)}/%f`;
  return `test -f ${from} && cp ${from} "%p"`;
}

/** Whether a backup needs a file of the log of changes. The first eight signs of its name count how often another server
 *  has taken over.
 *  @param startFile the first one that the backup needs */
function isNeeded(name: string, startFile: string): boolean {
  const position = (each: string) => each.slice(8, 24);
  return !/^[0-9A-F]{24}/.test(name) || position(name) >= position(startFile);
}

/** Makes sure that everything up to now has been archived. */
export async function archiveNow(primary: Server): Promise<void> {
  await primary.asking('postgres', async (client) => {
    // Something has to have been committed after the requested moment.
    await client.query(`select pg_catalog.pg_logical_emit_message(true, 'virga', 'restore')`);
    const { rows } = await client.query<{ file: string }>(
      'select pg_catalog.pg_walfile_name(pg_catalog.pg_switch_wal()) as file',
    );
    for (let waited = 0; waited < ARCHIVE_MS; waited += 100) {
      const { rows: done } = await client.query<{ is_done: boolean }>(
        'select last_archived_wal >= $1 as is_done from pg_catalog.pg_stat_archiver',
        [rows[0]?.file],
      );
      if (done[0]?.is_done) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new TaskFailed('What was changed last is not in the backups yet; try again');
  });
}
