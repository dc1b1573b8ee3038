import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../kernel/clock.ts';
import { currentInstances, lockDataDir } from '../platform/database/embedded/index.ts';
import { backUpRegion, inPart, type Sink } from '../providers/local/index.ts';
import { VERSION } from '../version.ts';
import { ArchiveWriter } from './archive.ts';
import { backUpControlPlane } from './control-plane.ts';
import { ENGINE_BACKUPS } from './engine-backups.ts';
import { BackupError, type Manifest, PLATFORM } from './manifest.ts';
import { pack } from './tar.ts';

/** What is not needed elsewhere, or is kept apart. */
const NOT_KEPT = [
  'binaries',
  'engines',
  'id',
  'lock',
  'nodes',
  'postgres',
  'regions',
  'restoring',
  'temporary',
  'virga.log',
  'virga.log.old',
];

export interface BackupOptions {
  readonly dataDir: string;
  /** What is made; it must not be there. */
  readonly file: string;
  readonly say: (line: string) => void;
}

/** Writes all of a cloud into one file, also while it runs.
 *  Data planes come first, then the control plane: what changes meanwhile is brought to what the latter says.
 *  @throws BackupError; then there is no file */
export async function backup({ dataDir, file, say }: BackupOptions): Promise<Manifest> {
  if (!existsSync(dataDir)) throw new BackupError(`There is no data directory ${dataDir}`);
  const root = realpathSync(dataDir);
  const to = path.join(realpathSync(path.dirname(path.resolve(file))), path.basename(file));
  if (to.startsWith(root + path.sep))
    throw new BackupError(`${file} is in ${dataDir}: name a file elsewhere`);
  const isServed = currentInstances(dataDir).length > 0;
  // Nobody begins to serve meanwhile.
  const lock = isServed ? undefined : lockDataDir(dataDir);
  const archive = new ArchiveWriter(to);
  try {
    const all = sinkOf(archive, say);
    for (const region of foldersIn(path.join(root, 'regions')))
      await backUpRegion(
        path.join(root, 'regions', region),
        ENGINE_BACKUPS,
        inPart(all, `regions/${region}/`),
      );
    await all.files('files.tar', root, { leftOut: NOT_KEPT.map((name) => `./${name}`) });
    await backUpControlPlane(dataDir, isServed, inPart(all, 'control-plane/'));
    return await archive.finish({
      version: VERSION,
      made_at: systemClock().now().toISOString(),
      platform: PLATFORM,
      as_root: process.getuid?.() === 0,
      has_master_key: existsSync(path.join(root, 'master-key')),
    });
  } catch (error) {
    archive.discard();
    throw error;
  } finally {
    lock?.release();
  }
}

function sinkOf(archive: ArchiveWriter, say: (line: string) => void): Sink {
  return {
    files: async (name, folder, options) => {
      say(`Reading ${path.dirname(name) === '.' ? 'settings and keys' : path.dirname(name)}`);
      const { stream, ended } = pack(folder, options);
      await archive.add(name, stream, ended);
    },
    text: (name, text) => archive.addText(name, text),
    say,
  };
}

const foldersIn = (folder: string) =>
  (existsSync(folder) ? readdirSync(folder) : []).filter((name) => /^\d+$/.test(name));
