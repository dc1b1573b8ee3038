import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathParams, usePlace } from '../../app/place.ts';
import { MetricsCard, percent, rate, useWindow } from '../../ui/metrics.tsx';

/** What the load balancer used and carried, over the hour, day or week before now. */
export function Metrics({ id }: { readonly id: string }) {
  const { body } = useWindow();
  const query = useQuery(
    api.queryOptions('post', '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/metrics', {
      params: { path: { ...pathParams(usePlace()), load_balancer_id: id } },
      body,
    }),
  );
  return (
    <MetricsCard
      query={query}
      charts={[
        {
          title: 'Traffic',
          format: rate,
          lines: [
            { label: 'From clients', color: '--accent', value: (point) => point.network_Bps_ingress },
            { label: 'To clients', color: '--good', value: (point) => point.network_Bps_egress },
          ],
        },
        {
          title: 'Processor and memory, of what its size allows',
          format: percent,
          lines: [
            { label: 'Processor', color: '--accent', value: ({ cpu_util }) => cpu_util },
            { label: 'Memory', color: '--good', value: ({ memory_util }) => memory_util },
          ],
        },
      ]}
    />
  );
}
