import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, every, type Schemas } from '../../api/client.ts';
import { pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { type Alert, alertsOf } from '../../ui/alerts.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { unreadNote } from '../../ui/fault.tsx';
import metrics from '../../ui/metrics.module.css';
import { useWindow } from '../../ui/metrics.tsx';
import { Card } from '../../ui/page.tsx';
import { Series } from '../../ui/series.tsx';
import { readTime } from '../../ui/time.tsx';
import styles from './requests.module.css';

type Point = Schemas['LoadBalancerRequestPoint'];

/** The server takes a sample each minute. */
const EVERY_MS = 60_000;
const NOTHING = 'Nothing was counted in this time.';
/** The newest alerts are named. */
const NAMED = 5;

const perSecond = (value: number) =>
  `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString()}/s`;
const milliseconds = (value: number) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const secondsOf = ({ time }: Point) => readTime(time).getTime() / 1000;

/** What became of requests over the time that is chosen, and when something was wrong. */
export function Requests({ id }: { readonly id: string }) {
  const { body } = useWindow();
  const hours = body.time_interval * (body.time_unit === 'day' ? 24 : 1);
  const query = useQuery({
    ...api.queryOptions('get', '/virga/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}/series', {
      params: { path: { ...pathParams(useScope()), load_balancer_id: id }, query: { hours } },
    }),
    ...every(EVERY_MS),
  });
  const points = query.data?.results;
  const times = useMemo(() => points?.map(secondsOf) ?? [], [points]);
  const alerts = useMemo(() => alertsOf(times, points?.map(({ alert }) => alert) ?? []), [times, points]);
  const unread = unreadNote(query);
  if (unread) return unread;
  if (!points) return null;
  const common = { times, alerts, nothing: NOTHING };
  const of = (label: string, color: string, value: (point: Point) => number | null) => ({
    label,
    color,
    values: points.map(value),
  });
  return (
    <Card title="Requests">
      <div className={metrics.grid}>
        <Series
          {...common}
          title="Responses by status code"
          format={perSecond}
          lines={[
            of('2xx', '--good', ({ responses_per_second: rates }) => rates['2xx']),
            of('3xx', '--accent', ({ responses_per_second: rates }) => rates['3xx']),
            of('4xx', '--degraded', ({ responses_per_second: rates }) => rates['4xx']),
            of('5xx', '--failed', ({ responses_per_second: rates }) => rates['5xx']),
          ]}
        />
        <Series
          {...common}
          title="Response time of members, on average"
          format={milliseconds}
          lines={[of('Response time', '--accent', (point) => point.response_milliseconds)]}
        />
        <Series
          {...common}
          title="New connections"
          format={perSecond}
          lines={[of('Connections', '--accent', (point) => point.connections_per_second)]}
        />
        <Alerts alerts={alerts} />
      </div>
    </Card>
  );
}

const at = (seconds: number) =>
  new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** The bands of the drawings in words. */
function Alerts({ alerts }: { readonly alerts: readonly Alert[] }) {
  const newest = alerts.toReversed().slice(0, NAMED);
  const others = alerts.length - newest.length;
  return (
    <section className={styles.alerts} aria-label="Alerts in this time">
      <h3>Alerts in this time</h3>
      {newest.length === 0 && <p>None: it was never degraded or in error.</p>}
      <ul>
        {newest.map(({ from, to, failed }) => (
          <li key={from}>
            <StatusBadge status={failed ? 'ERROR' : 'DEGRADED'} /> {at(from)} to {at(to)}
          </li>
        ))}
      </ul>
      {others > 0 && <p>and {others} before</p>}
    </section>
  );
}
