import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { loadChart, MetricsCard, trafficChart, useWindow } from '../../ui/metrics.tsx';
import { Requests } from './requests.tsx';

/** What the load balancer used and carried, over the hour, day, week or 30 days before now. */
export function Metrics({ id }: { readonly id: string }) {
  const { body } = useWindow();
  const params = { path: { ...pathParams(useScope()), load_balancer_id: id } };
  const query = useQuery(
    api.queryOptions('post', '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/metrics', {
      params,
      body,
    }),
  );
  return (
    <>
      <MetricsCard
        query={query}
        charts={[
          trafficChart('Traffic', 'From clients', 'To clients'),
          loadChart('Processor and memory, of what its size allows'),
        ]}
      />
      <Requests id={id} />
    </>
  );
}
