import { relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readText } from '../../../kernel/files.ts';
import { inPart, type Sink } from '../host/sink.ts';
import { copyRunning, copyStopped } from './online-copy.ts';
import { type NodeName, pathsOf } from './paths.ts';
import { type Notes, Server } from './server.ts';

/** What a backup takes of a cluster: its primary, and what is known of it. A replica is made anew. */

const HOUR_MS = 3_600_000;
const LOOK_EVERY_MS = 500;
/** An upgrade of a large cluster takes minutes. */
const PATIENCE_MS = 900_000;
const ATTEMPTS = 5;
/** What is made anew, or belongs to a change that has not ended. */
const OF_SERVER = ['data', 'run', 'draft'];
const NOT_KEPT = [
  ...OF_SERVER.flatMap((name) => [`./${name}`, `./b/${name}`]),
  './next',
  './replay',
  './backups/draft',
  './backups/wal/*.part',
  '*.pid',
];

/** @throws Error when it is being changed for too long */
export async function backUpCluster(root: string, id: string, sink: Sink): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const before = await settled(root, id, sink);
    const { primary = 'a' } = JSON.parse(before) as Notes;
    await backUpOnce(root, id, primary, sink);
    // Who is the primary, its passwords and its version go with its data.
    if (readText(pathsOf(root, id).notes) === before) return;
    if (attempt === ATTEMPTS) throw new Error(`PostgreSQL cluster ${id} is being changed: try again`);
  }
}

async function backUpOnce(root: string, id: string, primary: NodeName, sink: Sink): Promise<void> {
  const server = new Server(pathsOf(root, id, primary));
  const { data, home } = server.paths;
  const ofData = inPart(sink, `${relative(home, data)}/`);
  await sink.files('files.tar', home, { leftOut: NOT_KEPT });
  if (server.running())
    await server.asking('postgres', (client) => copyRunning(client, data, ofData), HOUR_MS);
  else await copyStopped(data, ofData);
}

/** Waits until no change is under way that moves its data. @returns the text of its notes */
async function settled(root: string, id: string, sink: Sink): Promise<string> {
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const text = readText(pathsOf(root, id).notes) ?? '{}';
    const notes = JSON.parse(text) as Notes;
    const isMoving =
      notes.upgrade !== undefined || notes.restore !== undefined || notes.isTakingOver === true;
    if (!isMoving && new Server(pathsOf(root, id, notes.primary)).hasData()) return text;
    if (waited === 0) sink.say(`PostgreSQL cluster ${id} is being changed: waiting`);
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`PostgreSQL cluster ${id} is being changed: try again when its task has ended`);
}
