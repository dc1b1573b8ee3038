import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, whileBusy } from '../../api/client.ts';
import { useScope } from '../../app/scope.ts';
import { bytes } from '../../ui/bytes.ts';
import { unreadNote } from '../../ui/fault.tsx';
import styles from '../../ui/metrics.module.css';
import { percent, useWindow } from '../../ui/metrics.tsx';
import { Card } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { Series, WindowPicker } from '../../ui/series.tsx';
import { readTime } from '../../ui/time.tsx';
import { type Cluster, clusterPath } from './queries.ts';

/** The server takes a sample each minute. */
const EVERY_MS = 60_000;
const FIRST_MS = 5_000;
type Samples = { readonly results: readonly unknown[] };
/** Sooner until the first one is there. */
const nextMs = ({ results }: Samples) => (results.length === 0 ? FIRST_MS : EVERY_MS);
const NOTHING = 'The first sample comes within a minute.';
/** Databases can only be read from here on. */
const FULL = 0.95;

const perSecond = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)}/s`;
const whole = (value: number) => Math.round(value).toLocaleString();

/** What was measured over the hour, day, week or 30 days before now, against what it is warned of. */
export function History({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const { changeSearch } = useRouting();
  const { window, body } = useWindow();
  const hours = body.time_interval * (body.time_unit === 'day' ? 24 : 1);
  const query = useQuery({
    ...api.queryOptions(
      'get',
      '/virga/v1/postgresql_clusters/{project_id}/{region_id}/{cluster_name}/series',
      { params: { path: clusterPath(scope, cluster.cluster_name), query: { hours } } },
    ),
    ...whileBusy<Samples>(() => false, nextMs),
  });
  const unread = unreadNote(query);
  if (unread) return unread;
  if (!query.data) return <Skeleton height={320} />;
  const points = query.data.results;
  const last = points.at(-1);
  const common = { nothing: NOTHING, times: points.map(({ time }) => readTime(time).getTime() / 1000) };
  const choose = (next: string) => void changeSearch((now) => ({ ...now, window: next }), { replace: true });
  return (
    <Card title="History" aside={<WindowPicker value={window} onChange={choose} />}>
      <div className={styles.grid}>
        <Series
          {...common}
          title="Storage"
          format={bytes}
          lines={[{ label: 'Used', color: '--accent', values: points.map(({ used_bytes }) => used_bytes) }]}
          marks={
            last
              ? [
                  {
                    label: 'Read-only',
                    value: last.size_bytes * FULL,
                    notified: last.used_bytes >= last.size_bytes * FULL,
                  },
                ]
              : []
          }
        />
        <Series
          {...common}
          title="Connections"
          format={whole}
          lines={[{ label: 'Open', color: '--accent', values: points.map(({ connections }) => connections) }]}
          marks={last ? [{ label: 'At most', value: last.max_connections, notified: false }] : []}
        />
        <Series
          {...common}
          title="Transactions"
          format={perSecond}
          lines={[
            {
              label: 'Ended',
              color: '--accent',
              values: points.map(({ transactions_per_second: rate }) => rate),
            },
          ]}
        />
        <Series
          {...common}
          title="Cache hit ratio"
          format={percent}
          lines={[
            { label: 'Cache hits', color: '--good', values: points.map(({ hit_percent: hit }) => hit) },
          ]}
        />
      </div>
    </Card>
  );
}
