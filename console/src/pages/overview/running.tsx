import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { regionsQuery } from '../../app/home.ts';
import { pathIn, pathParams, usePlace } from '../../app/place.ts';
import styles from './overview.module.css';

/** How many there are of each noun; what there is none of is a door to begin with. */
export function Running() {
  const place = usePlace();
  const path = pathParams(place);
  const one = { params: { path, query: { limit: 1 } } };
  const regions = useQuery(regionsQuery());
  const region = regions.data?.results.find(({ id }) => id === place.region);
  const balancers = useQuery(
    api.queryOptions('get', '/cloud/v1/loadbalancers/{project_id}/{region_id}', one),
  );
  const clusters = useQuery({
    ...api.queryOptions('get', '/cloud/v2/k8s/clusters/{project_id}/{region_id}', { params: { path } }),
    enabled: region?.has_k8s === true,
  });
  const instances = useQuery({
    ...api.queryOptions('get', '/cloud/v1/instances/{project_id}/{region_id}', {
      params: { path, query: { limit: 1, include_k8s: false } },
    }),
    enabled: region?.has_kvm === true,
  });
  const doors = [
    {
      label: 'Load balancers',
      count: balancers.data?.count,
      to: 'load-balancers',
      none: 'Put one address in front of several servers',
      lacking: false,
    },
    {
      label: 'Instances',
      count: instances.data?.count,
      to: 'instances',
      none: 'Start a machine from an image',
      lacking: region?.has_kvm === false,
    },
    {
      label: 'Kubernetes clusters',
      count: clusters.data?.count,
      to: 'kubernetes',
      none: 'Run containers on nodes that heal themselves',
      lacking: region?.has_k8s === false,
    },
  ];
  return (
    <div className={styles.doors}>
      {doors.map(({ label, count, to, none, lacking }) => (
        <Link key={label} className={styles.door} to={pathIn(place, to)} data-lacking={lacking}>
          <span className={styles.doorLabel}>{label}</span>
          <span className={styles.doorCount}>{lacking ? '–' : (count ?? '…')}</span>
          <span className={styles.doorAbout}>{lacking ? 'Not in this region' : count === 0 ? none : ''}</span>
        </Link>
      ))}
    </div>
  );
}
