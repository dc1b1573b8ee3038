import { DEBIAN, type Examples, SAMPLE, several } from '../../platform/openapi/examples.ts';

export const volumeExamples: Examples = {
  CreateVolume: several({
    'An empty volume': {
      source: 'new-volume',
      name: 'shop-data',
      size: 20,
      type_name: 'ssd_hiiops',
      tags: { environment: 'production' },
    },
    'From an image, to boot from': { source: 'image', image_id: DEBIAN, name: 'shop-boot', size: 10 },
    'From a snapshot': { source: 'snapshot', snapshot_id: SAMPLE.snapshot, name: 'shop-data-restored' },
  }),
  UpdateVolume: { name: 'shop-data-1', tags: { environment: 'staging', owner: null } },
  AttachVolume: { instance_id: SAMPLE.instance, attachment_tag: 'data' },
  DetachVolume: { instance_id: SAMPLE.instance },
  ExtendVolume: { size: 40 },
  RetypeVolume: { volume_type: 'ssd_hiiops' },
  CreateSnapshot: {
    name: 'shop-data-before-upgrade',
    volume_id: SAMPLE.volume,
    description: 'Taken before version 2',
  },
  CreateLifecyclePolicy: {
    name: 'shop-data-nightly',
    action: 'volume_snapshot',
    schedules: [
      { type: 'cron', timezone: 'Europe/Berlin', hour: '3', minute: '30', max_quantity: 7 },
      { type: 'interval', hours: 6, max_quantity: 4, retention_time: { days: 1 } },
    ],
    volume_ids: [SAMPLE.volume],
  },
  UpdateLifecyclePolicy: { status: 'paused' },
  PolicyVolumes: { volume_ids: [SAMPLE.volume] },
  UpdateLifecycleSchedule: { max_quantity: 7, retention_time: { weeks: 2 } },
  PriceSnapshots: {
    schedules: [{ type: 'interval', days: 1, max_quantity: 7 }],
    volume_ids: [SAMPLE.volume],
  },
  AddSchedules: {
    schedules: [{ type: 'cron', day_of_week: 'mon', hour: '4', max_quantity: 8 }],
  },
  RemoveSchedules: { schedule_ids: [SAMPLE.schedule] },
  UpdateSnapshot: { name: 'shop-data-2031-01', tags: { keep: 'yes' } },
};
