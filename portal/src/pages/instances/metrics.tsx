import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { loadChart, MetricsCard, rate, trafficChart, useWindow } from '../../ui/metrics.tsx';

/** What the instance used, over the hour, day or week before now. */
export function InstanceMetrics({ id }: { readonly id: string }) {
  const { body } = useWindow();
  const params = { path: { ...pathParams(useScope()), instance_id: id } };
  const query = useQuery(
    api.queryOptions('post', '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}/metrics', {
      params,
      body,
    }),
  );
  return (
    <MetricsCard
      query={query}
      charts={[
        loadChart('Processor and memory'),
        trafficChart('Network', 'In', 'Out'),
        {
          title: 'Disks',
          format: rate,
          lines: [
            ['Read', ({ disks }) => sum(disks, 'disk_Bps_read')],
            ['Written', ({ disks }) => sum(disks, 'disk_Bps_write')],
          ],
        },
      ]}
    />
  );
}

type Disks = readonly { disk_Bps_read?: number | null; disk_Bps_write?: number | null }[];

const sum = (disks: Disks | null | undefined, key: 'disk_Bps_read' | 'disk_Bps_write') =>
  disks?.reduce((total, disk) => total + (disk[key] ?? 0), 0);
