import { useConnection } from '../api/connection.ts';
import { duration, useNow } from '../ui/time.tsx';
import styles from './away-bar.module.css';

/** Says that the server does not answer, since when, and that the page continues by itself. */
export function AwayBar() {
  const { awaySince } = useConnection();
  const now = useNow();
  if (awaySince === undefined) return null;
  const since = now - awaySince;
  return (
    <div className={styles.bar} role="status">
      {since < 1000 ? 'Virga does not answer' : `Virga has not answered for ${duration(since)}`}. What you see
      is from before. This page continues by itself when it is back.
    </div>
  );
}
