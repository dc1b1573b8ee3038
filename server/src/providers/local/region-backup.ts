import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { resettle } from '../../kernel/engine-accounts.ts';
import { engineRoot, rootsOf } from './host/engine-root.ts';
import { makePassage } from './host/files.ts';
import { inPart, type Sink } from './host/sink.ts';

/** What a backup takes of a local region. */

/** An engine whose data cannot just be copied. */
export interface EngineBackup {
  /** Hands over what a cluster keeps, also while it runs. @param root of all clusters of the region */
  backUp(root: string, id: string, sink: Sink): Promise<void>;
  /** Tells a cluster that was restored where it is now. */
  settle?(root: string, id: string): void;
}
/** By the name of the engine's folder. */
export type EngineBackups = Readonly<Record<string, EngineBackup>>;

/** Each start makes them anew, or they tell where this data directory is. */
const NOT_KEPT = ['./cli', './sockets', './templates', './origin', './identity', './*/run', './*/*.pid'];
/** Of a cluster. */
const ID = /^[0-9a-f-]{36}$/;

/** Hands over all that the engines of a region keep.
 *  @param folder of the region, in the data directory */
export async function backUpRegion(folder: string, engines: EngineBackups, sink: Sink): Promise<void> {
  const kinds = foldersIn(folder);
  for (const kind of kinds) {
    const root = rootsOf(join(realpathSync(folder), kind)).findLast((each) => existsSync(each)) ?? '';
    const engine = engines[kind];
    const apart = engine ? foldersIn(root).filter((name) => ID.test(name)) : [];
    for (const id of apart) await engine?.backUp(root, id, inPart(sink, `${kind}/${id}/`));
    const leftOut = [...NOT_KEPT, ...apart.map((id) => `./${id}`)];
    await sink.files(`${kind}/files.tar`, root, { leftOut });
  }
  await sink.files('files.tar', folder, { leftOut: kinds.map((kind) => `./${kind}`) });
}

/** The folder of this machine into which a part is restored.
 *  @param folder of the region, in the data directory
 *  @param part folder of the part: `postgresql/ID/a/data` */
export function folderOfPart(folder: string, part: string): string {
  const [kind = '', ...rest] = part.split('/');
  makePassage(folder);
  if (kind === '') return folder;
  return join(engineRoot(join(folder, kind)), ...rest);
}

/** Gives what was restored to accounts of this machine: those of the backup may be somebody else's here.
 *  @param folder of the region, in the data directory */
export function settleRegion(folder: string, engines: EngineBackups): void {
  for (const kind of foldersIn(folder)) {
    const root = engineRoot(join(folder, kind));
    for (const name of foldersIn(root)) {
      resettle(join(root, name));
      if (ID.test(name)) engines[kind]?.settle?.(root, name);
    }
  }
}

function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
}
