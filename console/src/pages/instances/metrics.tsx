import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { MetricsCard, percent, rate, useWindow } from '../../ui/metrics.tsx';

/** What the machine used, over the hour, day or week before now. */
export function InstanceMetrics({ id }: { readonly id: string }) {
  const { body } = useWindow();
  const query = useQuery(
    api.queryOptions('post', '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}/metrics', {
      params: { path: { ...pathParams(usePlace()), instance_id: id } },
      body,
    }),
  );
  return (
    <MetricsCard
      query={query}
      charts={[
        {
          title: 'Processor and memory',
          format: percent,
          lines: [
            { label: 'Processor', color: '--accent', value: ({ cpu_util }) => cpu_util },
            { label: 'Memory', color: '--good', value: ({ memory_util }) => memory_util },
          ],
        },
        {
          title: 'Network',
          format: rate,
          lines: [
            { label: 'In', color: '--accent', value: (point) => point.network_Bps_ingress },
            { label: 'Out', color: '--good', value: (point) => point.network_Bps_egress },
          ],
        },
        {
          title: 'Disks',
          format: rate,
          lines: [
            { label: 'Read', color: '--accent', value: ({ disks }) => sum(disks, 'disk_Bps_read') },
            { label: 'Written', color: '--good', value: ({ disks }) => sum(disks, 'disk_Bps_write') },
          ],
        },
      ]}
    />
  );
}

type Disks = readonly { disk_Bps_read?: number | null; disk_Bps_write?: number | null }[];

const sum = (disks: Disks | null | undefined, key: 'disk_Bps_read' | 'disk_Bps_write') =>
  disks?.reduce((total, disk) => total + (disk[key] ?? 0), 0);
