import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { regionsQuery } from '../../app/home.ts';
import { useScope } from '../../app/scope.ts';
import styles from './overview.module.css';
import { balancersQuery } from './queries.ts';

/** How many there are of each noun; what there is none of is a door to begin with. */
export function Running() {
  const scope = useScope();
  const path = pathParams(scope);
  const regions = useQuery(regionsQuery());
  const region = regions.data?.results.find(({ id }) => id === scope.region);
  const balancers = useQuery(balancersQuery(scope));
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
  // What a region may lack is asked once it is known whether it does.
  const isRegionUnread = region === undefined && !regions.isPending;
  const doors = [
    {
      label: 'Load balancers',
      ...answerOf(balancers),
      to: 'load-balancers',
      none: 'Put one address in front of several servers',
      lacking: false,
    },
    {
      label: 'Instances',
      ...answerOf(instances, isRegionUnread),
      to: 'instances',
      none: 'Start a machine from an image',
      lacking: region?.has_kvm === false,
    },
    {
      label: 'Kubernetes clusters',
      ...answerOf(clusters, isRegionUnread),
      to: 'kubernetes',
      none: 'Run containers on nodes that heal themselves',
      lacking: region?.has_k8s === false,
    },
  ];
  return (
    <div className={styles.doors}>
      {doors.map(({ label, count, unread, to, none, lacking }) => (
        <Link key={label} className={styles.door} to={pathIn(scope, to)} data-lacking={lacking}>
          <span className={styles.doorLabel}>{label}</span>
          <span className={styles.doorCount}>
            {lacking || unread ? '–' : (count?.toLocaleString() ?? '…')}
          </span>
          <span className={styles.doorAbout}>
            {lacking
              ? 'Not in this region'
              : unread
                ? 'How many there are could not be read'
                : count === 0
                  ? none
                  : ''}
          </span>
        </Link>
      ))}
    </div>
  );
}

const answerOf = (
  { data, error }: { data: { count: number } | undefined; error: unknown },
  isUnread = false,
) => ({
  count: data?.count,
  unread: (isUnread || error !== null) && data === undefined,
});
