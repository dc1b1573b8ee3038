import type { DesiredCluster } from '../../../features/managed-postgresql/port.ts';
import { readText } from '../../../kernel/files.ts';
import { writeForEngine } from '../host/files.ts';
import { renderConf, renderHba, type ServerState } from './configuration.ts';
import type { Server } from './server.ts';

/** What a server reads when it starts, and again with a reload. */

/** Brings the files of a server to what they should be. A primary that runs has to read them again, which is noted
 *  before they change: whoever is killed before the server reloads them, or cannot have it do so, leaves files that
 *  look as if they counted. */
export function writeFiles(server: Server, desired: DesiredCluster, state: ServerState): void {
  const { paths, notes } = server;
  const files = [
    [paths.conf, renderConf(desired, paths, state)],
    [paths.hba, renderHba(desired, state.isClosed || state.full?.isClosed === true)],
    [paths.certificate, desired.tls.certificate],
    [paths.key, desired.tls.privateKey],
  ] as const;
  const changed = files.filter(([path, text]) => readText(path) !== text);
  if (changed.length === 0) return;
  if (state.role.isPrimary && notes && !notes.isUnread && server.running())
    server.note({ ...notes, isUnread: true });
  for (const [path, text] of changed) writeForEngine(path, text, paths.home);
}

/** Has a primary that runs read its files, unless it has since they changed. */
export async function readFiles(primary: Server): Promise<void> {
  if (!primary.notes?.isUnread) return;
  await primary.reload();
  noteRead(primary);
}

/** Its files are those by which it runs: it has just read them. */
export function noteRead(primary: Server): void {
  const { isUnread, ...notes } = primary.notes ?? { host: '' };
  if (isUnread) primary.note(notes);
}
