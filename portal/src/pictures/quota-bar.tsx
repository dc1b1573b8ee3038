import { Meter } from './meter.tsx';
import styles from './quota-bar.module.css';

interface QuotaBarProps {
  readonly name: string;
  readonly limit: number;
  readonly usage: number;
  /** Percent at which the account is warned. */
  readonly threshold: number;
  /** What an open form would add. */
  readonly adds?: number;
}

/** A quota as a bar, the threshold drawn in. */
export function QuotaBar({ name, limit, usage, threshold, adds = 0 }: QuotaBarProps) {
  const share = (value: number) => (limit > 0 ? Math.min(100, (100 * value) / limit) : value > 0 ? 100 : 0);
  const used = share(usage);
  const meaning = used >= 100 ? 'failed' : used >= threshold ? 'degraded' : 'good';
  return (
    <div>
      <div className={styles.words}>
        <span className={styles.name}>{name}</span>
        <span>
          {usage.toLocaleString()} of {limit.toLocaleString()}
        </span>
      </div>
      <Meter className={styles.bar} label={name} value={usage} max={limit}>
        <span className={styles.used} data-meaning={meaning} style={{ width: `${used}%` }} />
        {adds > 0 && (
          <span
            className={styles.adds}
            style={{ left: `${used}%`, width: `${share(usage + adds) - used}%` }}
          />
        )}
        <span className={styles.mark} style={{ left: `${threshold}%` }} />
      </Meter>
    </div>
  );
}
