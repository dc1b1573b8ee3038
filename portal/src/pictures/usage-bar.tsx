import { Tooltip } from '@mantine/core';
import { IconFlagFilled } from '../ui/icons.ts';
import { Meter } from './meter.tsx';
import styles from './usage-bar.module.css';

interface UsageBarProps {
  readonly label: string;
  readonly used: number;
  /** The threshold. */
  readonly at: number;
  /** Whether it was notified that it is reached. */
  readonly notified: boolean;
  readonly words: string;
}

/** What is used, with the threshold as a line and what was notified as a flag on it. */
export function UsageBar({ label, used, at, notified, words }: UsageBarProps) {
  const scale = Math.max(used, at) * 1.15 || 1;
  const share = (value: number) => `${(100 * value) / scale}%`;
  return (
    <div className={styles.row}>
      <Meter className={styles.bar} label={label} value={used} max={Math.max(used, at)} words={words}>
        <span
          className={styles.used}
          data-meaning={used >= at ? 'degraded' : 'good'}
          style={{ width: share(used) }}
        />
        <span className={styles.line} style={{ left: share(at) }} />
        {notified && (
          <Tooltip label="It was reached, and you were notified">
            <span className={styles.flag} style={{ left: share(at) }}>
              <IconFlagFilled size={12} aria-label="notified" />
            </span>
          </Tooltip>
        )}
      </Meter>
      <span className={styles.words}>{words}</span>
    </div>
  );
}
