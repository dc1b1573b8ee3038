import { SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Alert } from './alerts.ts';
import styles from './series.module.css';

export interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** A CSS colour variable. */
  readonly color: string;
}

/** A value that is to be seen against the lines, such as a threshold. */
export interface Mark {
  readonly label: string;
  readonly value: number;
  /** Whether it was reached, and the client was notified: it has a flag then. */
  readonly notified: boolean;
}

export interface SeriesProps {
  readonly title: string;
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  readonly format: (value: number) => string;
  readonly marks?: readonly Mark[];
  readonly alerts?: readonly Alert[];
  /** The first and last second that are shown; left out: as far as there are values. */
  readonly from?: number;
  readonly to?: number;
  /** What is said while there is nothing to draw. */
  readonly nothing?: string;
}

const NO_MARKS: readonly Mark[] = [];
const NO_ALERTS: readonly Alert[] = [];
const HEIGHT = 160;
const HOUR = 3600;
/** Charts with this key share their crosshair. */
const SYNC = 'virga';

/** Values over time; a gap in the data is a gap in the line. */
export function Series(props: SeriesProps) {
  const { title, times, lines, format, marks = NO_MARKS, alerts = NO_ALERTS, nothing, from, to } = props;
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
    // Where all is nought the axis says so once.
    const flat =
      topOf(Math.max(...lines.flatMap(({ values }) => values.map((value) => value ?? 0))), marks) === 0;
    const label = (_plot: uPlot, ticks: readonly number[]) =>
      ticks.map((tick) => (flat && tick !== 0 ? '' : format(tick)));
    // Around a single moment years would be drawn.
    const [first = 0] = times.length === 1 ? times : [];
    const span: [number, number] | undefined =
      from && to ? [from, to] : first ? [first - HOUR, first] : undefined;
    const plot = new uPlot(
      {
        width,
        height: HEIGHT,
        cursor: { sync: { key: SYNC }, y: false },
        legend: { live: true },
        scales: {
          ...(span ? { x: { range: span } } : {}),
          y: { range: (_plot, _min, max) => [0, topOf(max ?? 0, marks) * 1.15 || 1] },
        },
        hooks: {
          drawClear: [(drawn) => drawAlerts(drawn, alerts)],
          draw: [(drawn) => drawMarks(drawn, marks)],
        },
        axes: [axis, { ...axis, size: 64, values: label }],
        series: [
          {},
          ...lines.map(({ label, color }) => ({
            label,
            stroke: resolve(color),
            width: 1.5,
            spanGaps: false,
            // A single value has no line.
            points: { show: times.length === 1, size: 7 },
            value: (_plot: uPlot, value: number | null) => (value === null ? '' : format(value)),
          })),
        ],
      },
      [[...times], ...lines.map(({ values }) => [...values])],
      target.current,
    );
    return () => plot.destroy();
  }, [width, times, lines, format, empty, marks, alerts, from, to]);
  return (
    <figure className={styles.figure} ref={frame}>
      <figcaption>{title}</figcaption>
      {empty ? (
        <div className={styles.empty}>{nothing ?? 'No data yet. The first point comes within a minute.'}</div>
      ) : (
        <div ref={target} className={styles.plot} />
      )}
      {marks.length > 0 && <Marks marks={marks} format={format} />}
    </figure>
  );
}

/** Behind the lines, at least a pixel wide. */
function drawAlerts(plot: uPlot, alerts: readonly Alert[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { from, to, failed } of alerts) {
    const left = plot.valToPos(from, 'x', true);
    const width = Math.max(plot.valToPos(to, 'x', true) - left, devicePixelRatio);
    ctx.fillStyle = resolve(failed ? '--failed-soft' : '--degraded-soft');
    ctx.fillRect(left, bbox.top, width, bbox.height);
    ctx.fillStyle = resolve(failed ? '--failed' : '--degraded');
    ctx.fillRect(left, bbox.top, width, 2 * devicePixelRatio);
  }
  ctx.restore();
}

/** Marks far above the lines would press them flat: they are only named. */
const FAR = 8;
const topOf = (max: number, marks: readonly Mark[]) =>
  Math.max(max, ...marks.map(({ value }) => value).filter((value) => max === 0 || value <= max * FAR));

function drawMarks(plot: uPlot, marks: readonly Mark[]): void {
  const { ctx, bbox } = plot;
  const top = plot.scales.y?.max ?? 0;
  ctx.save();
  for (const { value, notified } of marks.filter((mark) => mark.value <= top)) {
    const y = Math.round(plot.valToPos(value, 'y', true));
    ctx.strokeStyle = ctx.fillStyle = resolve(notified ? '--failed' : '--degraded');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    if (notified) drawFlag(ctx, bbox.left + bbox.width - 14 * devicePixelRatio, y);
  }
  ctx.restore();
}

function drawFlag(ctx: CanvasRenderingContext2D, x: number, y: number): void {
  const size = 9 * devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(x, y);
  ctx.lineTo(x, y - size);
  ctx.lineTo(x + size, y - size * 0.7);
  ctx.lineTo(x, y - size * 0.4);
  ctx.fill();
}

/** The marks in words, for those who do not see the drawing, and those that are too far above it. */
function Marks({
  marks,
  format,
}: {
  readonly marks: readonly Mark[];
  readonly format: SeriesProps['format'];
}) {
  return (
    <ul className={styles.marks}>
      {marks.map(({ label, value, notified }) => (
        <li key={`${label} ${value}`} data-notified={notified}>
          {label}: {format(value)}
          {notified && ', reached and notified'}
        </li>
      ))}
    </ul>
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
  { value: 'month', label: '30 days', body: { time_interval: 30, time_unit: 'day' as const } },
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
