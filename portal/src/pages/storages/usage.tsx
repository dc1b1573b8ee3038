import { SegmentedControl, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, faultOf, type Schemas } from '../../api/client.ts';
import { needsOf } from '../../api/may.ts';
import { pathIn } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { bytes } from '../../ui/bytes.ts';
import { FaultNote } from '../../ui/fault.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import metrics from '../../ui/metrics.module.css';
import { Card } from '../../ui/page.tsx';
import { useRouting } from '../../ui/routing.tsx';
import { type Mark, Series } from '../../ui/series.tsx';
import { KINDS, type Threshold, thresholdsOf } from '../storage/kinds.ts';
import {
  addedUp,
  aligned,
  bucketsOf,
  monthStart,
  type Sample,
  SPANS,
  seriesOf,
  spanStart,
  statsOf,
} from './usage-model.ts';
import { useStorageUsage } from './verbs.tsx';

const NOTHING = 'Nothing has been counted in this time.';
/** Buckets that have a line of their own. */
const MOST_BUCKETS = 3;
const COLORS = ['--good', '--degraded', '--quiet'];
const count = (value: number) => Math.round(value).toLocaleString();

/** What a storage has used over time, against the thresholds that somebody is notified of. */
export function StorageUsage({ storage }: { readonly storage: string }) {
  const { useSearch, changeSearch } = useRouting();
  const search = useSearch();
  const span = SPANS.find(({ value }) => value === search.span) ?? SPANS[1];
  const shown = useSeries(storage, spanStart(Date.now(), span.hours), span.granularity);
  const month = useSeries(storage, monthStart(Date.now()), '1h');
  const thresholds = useThresholds(storage);
  const choose = (next: string) => void changeSearch((now) => ({ ...now, span: next }), { replace: true });
  const failed = [shown, month].find(({ error, data }) => error && !data);
  if (failed) return <FaultNote fault={faultOf(failed.error)} retry={() => void failed.refetch()} />;
  if (!shown.data || !month.data) return <Skeleton height={480} />;
  return (
    <Card
      title="Used over time"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Time span"
          data={SPANS.map(({ value, label }) => ({ value, label }))}
          value={span.value}
          onChange={choose}
        />
      }
    >
      <Charts
        from={Date.now() / 1000 - span.hours * 3600}
        now={statsOf(shown.data, storage)}
        month={statsOf(month.data, storage)}
        marks={(name) => marksOf(thresholds, name)}
      />
      <Below storage={storage} none={thresholds?.length === 0} />
    </Card>
  );
}

const useSeries = (storage: string, from: string, granularity: string) =>
  useQuery(
    api.queryOptions('post', '/storage/stats/v1/storage/usage/series', {
      body: { storages: [storage], from, granularity },
    }),
  );

function useThresholds(storage: string): readonly Threshold[] | undefined {
  const { data: events } = useQuery(api.queryOptions('get', '/storage/notifications/v1/events'));
  const { rows } = useStorageUsage(storage);
  return useMemo(
    () => events && thresholdsOf(events, rows ?? []).filter((one) => one.storage === storage),
    [events, rows, storage],
  );
}

const marksOf = (thresholds: readonly Threshold[] | undefined, name: Threshold['kind']['name']): Mark[] =>
  (thresholds ?? [])
    .filter(({ kind }) => kind.name === name)
    .map(({ bucket, at, notified }) => ({
      label: bucket ? `Threshold of ${bucket}` : 'Threshold',
      value: at,
      notified,
    }));

interface ChartsProps {
  /** Seconds since 1970. */
  readonly from: number;
  readonly now: Schemas['StorageStats'] | undefined;
  readonly month: Schemas['StorageStats'] | undefined;
  readonly marks: (name: Threshold['kind']['name']) => readonly Mark[];
}

function Charts({ from, now, month, marks }: ChartsProps) {
  const buckets = bucketsOf(now).slice(0, MOST_BUCKETS);
  const [space, , traffic, requests] = KINDS;
  const ofMonth = (
    name: Threshold['kind']['name'],
    label: string,
    key: 'traffic_series' | 'requests_series',
  ) => ({
    from: new Date(monthStart(Date.now())).getTime() / 1000,
    marks: marks(name),
    series: { [label]: addedUp(seriesOf(month, key)) },
  });
  const both = (direction: 'traffic' | 'requests') => ({
    In: seriesOf(now, `${direction}_in_series`),
    Out: seriesOf(now, `${direction}_out_wo_edges_series`),
  });
  return (
    <div className={metrics.grid}>
      <Chart
        title="Space"
        from={from}
        format={bytes}
        marks={marks(space.name)}
        series={{
          'All of it': seriesOf(now, 'size_max_series'),
          ...(buckets.length > 1
            ? Object.fromEntries(buckets.map(({ name, samples }) => [name, samples]))
            : {}),
        }}
      />
      <Chart
        title="Traffic of this month, added up"
        format={bytes}
        {...ofMonth(traffic.name, 'Traffic', 'traffic_series')}
      />
      <Chart
        title="Requests of this month, added up"
        format={count}
        {...ofMonth(requests.name, 'Requests', 'requests_series')}
      />
      <Chart title="Traffic" from={from} format={bytes} series={both('traffic')} />
      <Chart title="Requests" from={from} format={count} series={both('requests')} />
    </div>
  );
}

interface ChartProps {
  readonly from: number;
  readonly title: string;
  readonly format: (value: number) => string;
  readonly series: Readonly<Record<string, readonly Sample[]>>;
  readonly marks?: readonly Mark[];
}

function Chart({ title, from, format, series, marks }: ChartProps) {
  const { times, values } = aligned(Object.values(series));
  return (
    <Series
      title={title}
      format={format}
      times={times}
      nothing={NOTHING}
      from={from}
      to={Date.now() / 1000}
      lines={Object.keys(series).map((label, index) => ({
        label,
        color: index === 0 ? '--accent' : (COLORS[index - 1] ?? '--quiet'),
        values: values[index] ?? [],
      }))}
      {...(marks ? { marks } : {})}
    />
  );
}

function Below({ storage, none }: { readonly storage: string; readonly none: boolean }) {
  const scope = useScope();
  return (
    <p style={{ display: 'flex', gap: 12, alignItems: 'center', margin: 0, padding: '0 16px 14px' }}>
      <LinkButton
        flex="none"
        size="xs"
        variant="default"
        to={`${pathIn(scope, 'storage')}?new=1&storage=${encodeURIComponent(storage)}`}
        call={needsOf('post', '/storage/notifications/v1/event')}
      >
        Set threshold
      </LinkButton>
      {none && 'Set one, and you are notified by mail and webhook when it is reached.'}
    </p>
  );
}
