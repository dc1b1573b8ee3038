import { Tooltip } from '@mantine/core';
import { IconFlagFilled } from '../ui/icons.ts';
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
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot show the threshold */}
      <div
        className={styles.bar}
        role="meter"
        aria-label={label}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={Math.max(used, at)}
        aria-valuetext={words}
      >
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
      </div>
      <span className={styles.words}>{words}</span>
    </div>
  );
}
