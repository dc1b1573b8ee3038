import { useQuery } from '@tanstack/react-query';
import { api, faultOf } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { QuotaBar } from '../../pictures/quota-bar.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { Card } from '../../ui/page.tsx';
import styles from '../../ui/wizard.module.css';
import type { Draft } from './draft.ts';

/** What is used of the quotas, and what the instance would add. */
export function QuotaAfter({ draft }: { readonly draft: Draft }) {
  const scope = useScope();
  const quotas = useQuery(api.queryOptions('get', '/cloud/v2/client_quotas'));
  const flavors = useQuery(
    api.queryOptions('get', '/cloud/v1/flavors/{project_id}/{region_id}', {
      params: { path: pathParams(scope), query: { limit: 1000, name__contains: draft.flavor } },
    }),
  );
  const here = quotas.data?.regional_quotas.find(({ region_id }) => region_id === scope.region) as
    | Record<string, number>
    | undefined;
  if (quotas.error && !quotas.data)
    return (
      <Card title="Quota">
        <FaultNote fault={faultOf(quotas.error)} retry={() => void quotas.refetch()} />
      </Card>
    );
  if (!here) return null;
  const flavor = flavors.data?.results.find(({ flavor_id }) => flavor_id === draft.flavor);
  const size = [draft.bootSize, ...draft.volumes.map((volume) => volume.size)].reduce<number>(
    (sum, one) => sum + Number(one),
    0,
  );
  const rows = [
    { key: 'vm_count', name: 'Instances', adds: 1 },
    { key: 'cpu_count', name: 'CPUs', adds: flavor?.vcpus ?? 0 },
    { key: 'ram', name: 'Memory in MiB', adds: flavor?.ram ?? 0 },
    { key: 'volume_size', name: 'Volumes in GiB', adds: size },
  ];
  return (
    <Card title="Quota">
      <div className={styles.bars}>
        {rows.map(({ key, name, adds }) => (
          <QuotaBar
            key={key}
            name={name}
            limit={here[`${key}_limit`] ?? 0}
            usage={here[`${key}_usage`] ?? 0}
            threshold={80}
            adds={adds}
          />
        ))}
      </div>
    </Card>
  );
}
