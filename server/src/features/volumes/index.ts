import type { Feature } from '../../platform/feature.ts';
import { VolumeActions } from './actions.ts';
import { volumesInNeed } from './attention.ts';
import { deprecatedSnapshotRoutes, deprecatedVolumeRoutes } from './deprecated-routes.ts';
import type { VolumeDeps } from './deps.ts';
import { volumeExamples } from './examples.ts';
import { InstanceVolumes } from './instance-volumes.ts';
import { dueJob } from './lifecycle-policies/due.ts';
import { lifecyclePolicyRoutes } from './lifecycle-policies/routes.ts';
import { LifecyclePolicyService } from './lifecycle-policies/service.ts';
import { volumeActionRoutes, volumeRoutes } from './routes.ts';
import { VolumeService } from './service.ts';
import { snapshotRoutes } from './snapshots/routes.ts';
import { SnapshotService } from './snapshots/service.ts';
import { createSnapshotTask, deleteSnapshotTask } from './snapshots/tasks.ts';
import { volumeTasks } from './tasks.ts';
import { snapshotWatch, volumeWatch } from './watch.ts';

export type { VolumeDeps } from './deps.ts';
export { filledFrom, holdForImage, madeFrom, releaseForImage } from './for-images.ts';
export type { ImageSource, SourceImage } from './images.ts';
export type { InstanceVolumePlan } from './instance-plan.ts';
export { VOLUMES_OF_INSTANCE } from './instance-store.ts';
export { InstanceVolumes } from './instance-volumes.ts';
export type { Scope } from './model.ts';
export type { DesiredVolume, VolumeProvider } from './port.ts';
export { NewInstanceVolume } from './schema-instance.ts';

/** What may not be whole can only be deleted, or reverted. */
const STATUS_WITHOUT_TASK = `case when status in ('creating', 'downloading', 'deleting') then 'error_deleting'
  when status = 'reverting' then 'error_restoring' when instance_id is null then 'available' else 'in-use' end`;

export interface VolumeFeature extends Feature {
  /** What instances do with volumes. */
  readonly instances: InstanceVolumes;
}

export function volumes(deps: VolumeDeps): VolumeFeature {
  const service = new VolumeService(deps);
  const actions = new VolumeActions(deps);
  const snapshots = new SnapshotService(deps);
  return {
    name: 'volumes',
    areas: {
      Volumes: 'Block storage for instances: disks that are made, grown, attached and kept.',
      'Lifecycle policies': 'Snapshots of volumes by schedules, and how many of them are kept for how long.',
    },
    nouns: {
      lifecycle_policy: ['LifecyclePolicy', 'LifecyclePolicies'],
      snapshots: 'Snapshot',
      volumes: 'Volume',
    },
    examples: volumeExamples,
    needs: 'volumes',
    instances: new InstanceVolumes(deps),
    attention: volumesInNeed,
    searched: [
      { kind: 'volume', table: 'volumes', status: 's.status', tags: true },
      { kind: 'snapshot', table: 'volume_snapshots', status: 's.status' },
      { kind: 'lifecycle_policy', table: 'lifecycle_policies', idType: 'integer', status: 's.status' },
    ],
    routes: [
      ...volumeRoutes(service),
      ...volumeActionRoutes(actions, service),
      ...snapshotRoutes(snapshots),
      ...deprecatedVolumeRoutes({ service, actions, tasks: deps.tasks }),
      ...deprecatedSnapshotRoutes(snapshots),
      ...lifecyclePolicyRoutes(new LifecyclePolicyService(deps)),
    ],
    background: [dueJob(deps), volumeWatch(deps), snapshotWatch(deps)],
    tasks: [...volumeTasks(deps), createSnapshotTask(deps), deleteSnapshotTask(deps)],
    held: [
      { table: 'volumes', becomes: `status = ${STATUS_WITHOUT_TASK}` },
      { table: 'volume_snapshots', becomes: `status = 'error_deleting'` },
    ],
  };
}
