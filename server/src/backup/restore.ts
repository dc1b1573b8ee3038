import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { parseAccountRange, useAccounts } from '../kernel/engine-accounts.ts';
import { syncNames } from '../kernel/files.ts';
import {
  acquireLock,
  prepareDataDir,
  purgeDataDir,
  RESTORING_MARK,
} from '../platform/database/embedded/index.ts';
import { folderOfPart, settleRegion } from '../providers/local/index.ts';
import { ArchiveReader } from './archive.ts';
import { locationOfControlPlane, settleControlPlane } from './control-plane.ts';
import { ENGINE_BACKUPS } from './engine-backups.ts';
import { BackupError, type Manifest, type Part } from './manifest.ts';
import { unpack } from './tar.ts';

const run = promisify(execFile);

export interface RestoreOptions {
  /** Settings of the server. */
  readonly env: NodeJS.ProcessEnv;
  /** It must be empty, or not there. */
  readonly dataDir: string;
  readonly file: string;
  readonly say: (line: string) => void;
}

/** Makes a data directory of a backup; the next start serves what is in it. Until everything is there, no server starts
 *  on it.
 *  @throws BackupError; then there is nothing in it */
export async function restore({ env, dataDir, file, say }: RestoreOptions): Promise<Manifest> {
  const range = env.VIRGA_ENGINE_ACCOUNTS?.trim();
  if (range) useAccounts({ range: parseAccountRange(range) });
  const archive = await ArchiveReader.open(file);
  try {
    requireEmpty(dataDir);
    await archive.verify(({ name }) => say(`Checking ${titleOf(name)}`));
    prepareDataDir(dataDir);
    const mark = path.join(dataDir, RESTORING_MARK);
    writeFileSync(mark, '', { flag: 'wx', mode: 0o600 });
    syncNames(dataDir);
    const lock = acquireLock(dataDir, ({ pid }) => `${dataDir} is used by pid ${pid}`);
    try {
      await fill(archive, dataDir, say);
    } catch (error) {
      lock.release();
      await purgeDataDir(dataDir);
      throw error;
    }
    // Without the mark everything has to be on the disk.
    await run('sync', []);
    rmSync(mark);
    syncNames(dataDir);
    lock.release();
    return archive.manifest;
  } finally {
    archive.close();
  }
}

async function fill(archive: ArchiveReader, dataDir: string, say: (line: string) => void): Promise<void> {
  const { parts } = archive.manifest;
  const textOf = async (part: Part) => Buffer.concat(await (await archive.open(part)).toArray()).toString();
  const password = parts.find(({ name }) => name === 'control-plane/password');
  if (!password) throw new BackupError('The backup has no control plane');
  const clusterDir = locationOfControlPlane(dataDir, await textOf(password));
  // A folder comes before what is in it.
  for (const part of parts.toSorted((a, b) => depth(a) - depth(b))) {
    if (part === password) continue;
    const folder = folderOf(part.name, dataDir, clusterDir);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (part.name.endsWith('.tar')) {
      say(`Restoring ${titleOf(part.name)}`);
      await unpack(await archive.open(part), folder);
    } else await writeLike(folder, path.basename(part.name), await textOf(part));
  }
  await settleControlPlane(dataDir);
  const regions = path.join(dataDir, 'regions');
  for (const region of existsSync(regions) ? readdirSync(regions) : [])
    settleRegion(path.join(regions, region), ENGINE_BACKUPS);
}

const depth = ({ name }: Part) => name.split('/').length;

function folderOf(name: string, dataDir: string, clusterDir: string): string {
  const [first = '', region = '', ...rest] = path.dirname(name).split('/');
  if (first === '.') return dataDir;
  if (first === 'control-plane') return clusterDir;
  if (first === 'regions' && /^\d+$/.test(region) && !rest.includes('..'))
    return folderOfPart(path.join(dataDir, 'regions', region), rest.join('/'));
  throw new BackupError(`The backup has a part that this version does not know: ${name}`);
}

/** Writes a file for the owner of its folder. */
async function writeLike(folder: string, name: string, text: string): Promise<void> {
  const file = path.join(folder, name);
  // Whatever a program of a tenant has left under this name: nothing is written through a link.
  rmSync(file, { force: true, recursive: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  const { uid, gid } = statSync(folder);
  if (process.getuid?.() === 0) await run('chown', [`${uid}:${gid}`, file]);
}

function requireEmpty(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  if (!statSync(dataDir).isDirectory()) throw new BackupError(`${dataDir} is not a directory`);
  if (readdirSync(dataDir).length > 0)
    throw new BackupError(
      `${dataDir} is not empty: restore into another folder (--data-dir), or forget what is in it with virga down --purge`,
    );
}

const titleOf = (name: string) => (path.dirname(name) === '.' ? 'settings and keys' : path.dirname(name));
