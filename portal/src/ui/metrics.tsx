import { Skeleton } from '@mantine/core';
import { bytes } from './bytes.ts';
import { unreadNote } from './fault.tsx';
import styles from './metrics.module.css';
import { Card } from './page.tsx';
import { useRouting, useSearch } from './routing.tsx';
import { Series, type SeriesProps, WINDOWS, WindowPicker } from './series.tsx';
import { readTime } from './time.tsx';

export const percent = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} %`;
export const rate = (value: number): string => `${bytes(value)}/s`;

/** The span that charts are shown for, which is in the address, and as the API accepts it. */
export function useWindow() {
  const { window = 'hour' } = useSearch();
  const hour = { time_interval: 1, time_unit: 'hour' as const };
  return { window, body: WINDOWS.find(({ value }) => value === window)?.body ?? hour };
}

interface Point {
  readonly time?: string | null;
}

export interface Chart<P> extends Pick<SeriesProps, 'title' | 'format'> {
  /** At most two, each with its name and where it stands in a point. */
  readonly lines: readonly (readonly [label: string, value: (point: P) => number | null | undefined])[];
}

interface Load {
  readonly cpu_util?: number | null;
  readonly memory_util?: number | null;
}

/** How busy a machine is. */
export const loadChart = (title: string): Chart<Load> => ({
  title,
  format: percent,
  lines: [
    ['Processor', ({ cpu_util }) => cpu_util],
    ['Memory', ({ memory_util }) => memory_util],
  ],
});

interface Traffic {
  readonly network_Bps_ingress?: number | null;
  readonly network_Bps_egress?: number | null;
}

/** How much comes in, and goes out. */
export const trafficChart = (title: string, into: string, out: string): Chart<Traffic> => ({
  title,
  format: rate,
  lines: [
    [into, ({ network_Bps_ingress }) => network_Bps_ingress],
    [out, ({ network_Bps_egress }) => network_Bps_egress],
  ],
});

/** Of the lines of a chart, in their order. */
const COLORS = ['--accent', '--good'];

interface MetricsCardProps<P> {
  readonly query: {
    readonly data: { readonly results: readonly P[] } | undefined;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly charts: readonly Chart<P>[];
}

/** Charts of one answer of measurements, whose crosshairs go together. */
export function MetricsCard<P extends Point>({ query, charts }: MetricsCardProps<P>) {
  const { changeSearch } = useRouting();
  const { window } = useWindow();
  const choose = (next: string) => void changeSearch((now) => ({ ...now, window: next }), { replace: true });
  const unread = unreadNote(query);
  if (unread) return unread;
  if (!query.data) return <Skeleton height={240} />;
  const points = query.data.results.filter(({ time }) => time);
  const times = points.map(({ time }) => readTime(time ?? '').getTime() / 1000);
  return (
    <Card title="Metrics" aside={<WindowPicker value={window} onChange={choose} />}>
      <div className={styles.grid}>
        {charts.map(({ title, format, lines }) => (
          <Series
            key={title}
            title={title}
            format={format}
            times={times}
            lines={lines.map(([label, value], index) => ({
              label,
              color: COLORS[index] ?? '--quiet',
              values: points.map((point) => value(point) ?? null),
            }))}
          />
        ))}
      </div>
    </Card>
  );
}
