import { useQuery } from '@tanstack/react-query';
import { api, apiCall } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { CodePanel } from '../../ui/code-panel.tsx';
import { CopyText } from '../../ui/copy.tsx';
import { Detail, useDetailScope } from '../../ui/detail.tsx';
import type { Fact } from '../../ui/page.tsx';
import { Several } from '../../ui/several.tsx';
import { tagFacts } from '../../ui/tags.tsx';
import { Time } from '../../ui/time.tsx';
import { WhyFailed } from '../../ui/why-failed.tsx';
import { Interfaces } from './interfaces.tsx';
import { addressesOf, type Instance } from './list.tsx';
import { InstanceMetrics } from './metrics.tsx';
import { useInstanceVerbs } from './verbs.tsx';
import { InstanceVolumes } from './volumes.tsx';

const INSTANCE = '/cloud/v1/instances/{project_id}/{region_id}/{instance_id}';

/** One instance: its state, where it stands in networks, what it keeps, what it uses. */
export function InstanceDetail() {
  const { scope, id, back } = useDetailScope('instances', 'Instances');
  const params = { path: { ...pathParams(scope), instance_id: id } };
  const query = useQuery(api.queryOptions('get', INSTANCE, { params }));
  return (
    <Detail<Instance>
      kind="Instance"
      back={back}
      query={query}
      badge={({ status, task_state }) => <StatusBadge status={status} detail={task_state ?? undefined} />}
      {...useInstanceVerbs(scope)}
      facts={(instance) => [
        ...addressFacts(instance),
        {
          label: 'Size',
          value: `${instance.flavor.flavor_name}: ${instance.flavor.vcpus} CPU, ${instance.flavor.ram / 1024} GiB`,
        },
        { label: 'SSH key', value: instance.ssh_key_name ?? 'none' },
        {
          label: 'Security groups',
          value: (
            <Several values={[...new Set(instance.security_groups.map(({ name }) => name))]} none="none" />
          ),
        },
        { label: 'Created', value: <Time at={instance.created_at} /> },
        ...tagFacts(instance.tags),
      ]}
      tabs={(instance) => [
        { key: 'interfaces', label: 'Interfaces', body: <Interfaces instance={instance} /> },
        { key: 'volumes', label: 'Volumes', body: <InstanceVolumes instance={instance} /> },
        { key: 'metrics', label: 'Metrics', body: <InstanceMetrics id={instance.id} /> },
        { key: 'code', label: 'Code', body: <CodePanel call={apiCall('get', INSTANCE, { params })} /> },
      ]}
    >
      {(instance) => <WhyFailed of={instance} />}
    </Detail>
  );
}

function addressFacts(instance: Instance): readonly Fact[] {
  const addresses = addressesOf(instance);
  if (addresses.length === 0) return [];
  const value = addresses.map((address) => (
    <div key={address}>
      <CopyText value={address} label="Copy address" />
    </div>
  ));
  return [{ label: addresses.length === 1 ? 'Address' : 'Addresses', value }];
}
