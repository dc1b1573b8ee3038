import { SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import styles from './series.module.css';

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A CSS colour variable. */
  readonly color: string;
}

export interface SeriesProps {
  readonly title: string;
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
}

const HEIGHT = 160;
/** Charts with this key share their crosshair. */
const SYNC = 'virga';

/** Values over time; a gap in the data is a gap in the line. */
export function Series({ title, times, lines, format }: SeriesProps) {
  const { ref: frame, width } = useElementSize();
  const target = useRef<HTMLDivElement>(null);
  const empty = times.length === 0 || lines.every(({ values }) => values.every((value) => value === null));
  useEffect(() => {
    if (!target.current || width === 0 || empty) return;
    const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name) || '#888';
    const axis = {
      stroke: resolve('--ink-soft'),
      grid: { stroke: resolve('--line'), width: 1 },
      ticks: { show: false },
      font: `11px ${css('--mantine-font-family')}`,
    };
    const plot = new uPlot(
      {
        width,
        height: HEIGHT,
        cursor: { sync: { key: SYNC }, y: false },
        legend: { live: true },
        scales: { y: { range: (_plot, _min, max) => [0, Math.max(max ?? 0, 1e-6) * 1.15] } },
        axes: [axis, { ...axis, size: 64, values: (_plot, ticks) => ticks.map(format) }],
        series: [
          {},
          ...lines.map(({ label, color }) => ({
            label,
            stroke: resolve(color),
            width: 1.5,
            spanGaps: false,
            points: { show: false },
            value: (_plot: uPlot, value: number | null) => (value === null ? '' : format(value)),
          })),
        ],
      },
      [[...times], ...lines.map(({ values }) => [...values])],
      target.current,
    );
    return () => plot.destroy();
  }, [width, times, lines, format, empty]);
  return (
    <figure className={styles.figure} ref={frame}>
      <figcaption>{title}</figcaption>
      {empty ? (
        <div className={styles.empty}>No data yet. The first point comes within a minute.</div>
      ) : (
        <div ref={target} className={styles.plot} />
      )}
    </figure>
  );
}

/** Canvas needs the colour itself, as the theme has it now. */
function resolve(name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The windows that series are shown for. */
export const WINDOWS = [
  { value: 'hour', label: 'Hour', body: { time_interval: 1, time_unit: 'hour' as const } },
  { value: 'day', label: 'Day', body: { time_interval: 24, time_unit: 'hour' as const } },
  { value: 'week', label: 'Week', body: { time_interval: 7, time_unit: 'day' as const } },
];

export function WindowPicker({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Time span"
      data={WINDOWS.map(({ value: one, label }) => ({ value: one, label }))}
      value={value}
      onChange={onChange}
    />
  );
}
