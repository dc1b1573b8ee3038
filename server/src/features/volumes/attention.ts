import { failedIn, NOT_WHOLE } from '../../platform/attention/failed.ts';
import type { AttentionSource } from '../../platform/attention/source.ts';

const volumes = failedIn('volume', 'volumes', (status) =>
  status === 'error_restoring' ? 'It could not be reverted: revert it again, or delete it' : NOT_WHOLE,
);
const snapshots = failedIn('snapshot', 'volume_snapshots');

/** Volumes and snapshots that may not be whole. */
export const volumesInNeed: AttentionSource = async (db, ask) => [
  ...(await volumes(db, ask)),
  ...(await snapshots(db, ask)),
];
