import type { Tx } from '../../platform/database/db.ts';
import { done, type TaskHandler, type TaskRun, waitFor, whileHeldBy } from '../../platform/tasks/handler.ts';
import { holdOf, providerOfTask, undoing } from '../../platform/tasks/providers.ts';
import { release } from '../quotas/index.ts';
import { releaseForImage } from '../volumes/index.ts';
import type { ImageRow } from './model.ts';
import { RESTORE_IMAGE } from './port.ts';
import type { ImageDeps } from './service.ts';
import * as store from './store.ts';

const DEADLINE_MS = 60 * 60_000;

const providerFor = providerOfTask('images');
const whileHeld = whileHeldBy(store.readHeld);

/** Forgets an image that the task holds, and what it counted. */
async function forget(tx: Tx, { task }: TaskRun, row: ImageRow): Promise<void> {
  if (!(await store.deleteImage(tx, row.id, task.id))) return;
  await release(tx, task, { image_count: 1, image_size: row.size ?? 0 });
}

/** An image of a volume, which the task holds too; when it fails, nothing of the image is left. */
export const createImageTask = (deps: ImageDeps): TaskHandler => newImageTask('create_image', deps);

/** An image of the file at an address; when it fails, nothing of it is left. */
export const downloadImageTask = (deps: ImageDeps): TaskHandler => newImageTask('download_image', deps);

const newImageTask = (type: string, deps: ImageDeps): TaskHandler => ({
  type,
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const { id, volume_id: volumeId, source_url: url } = row;
    const desired = { id, source: url === null ? { volumeId: volumeId ?? '' } : { url } };
    const waiting = waitFor(await providerFor(run, deps).applyImage(desired, run.operation));
    if (waiting) return waiting;
    return done({ images: [row.id] }, async (tx) => {
      await store.settleImage(tx, row.id, holdOf(run), 'active');
      await releaseForImage(tx, holdOf(run));
    });
  }),
  undo: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).removeImage(row.id, undoing(run, RESTORE_IMAGE)));
    if (waiting) return waiting;
    return done({}, async (tx) => {
      await forget(tx, run, row);
      await releaseForImage(tx, holdOf(run));
    });
  }),
});

/** An image that could not be deleted may have lost its contents: it can only be deleted again. */
export const deleteImageTask = (deps: ImageDeps): TaskHandler => ({
  type: 'delete_image',
  deadlineMs: DEADLINE_MS,
  run: whileHeld(async (run, row) => {
    const waiting = waitFor(await providerFor(run, deps).removeImage(row.id, run.operation));
    return waiting ?? done({}, (tx) => forget(tx, run, row));
  }),
  undo: whileHeld(async (run, row) => done({}, (tx) => store.settleImage(tx, row.id, holdOf(run), 'error'))),
});
