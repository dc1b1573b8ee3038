import { faultOf, wordsOf } from '../api/client.ts';
import styles from './page.module.css';
import { ago, useNow } from './time.tsx';

/** What is older says so; one answer of many that fails is no news. */
const OLD_MS = 10_000;

interface Read {
  readonly data: unknown;
  readonly error: unknown;
  /** When it was read last, in ms since 1970. */
  readonly dataUpdatedAt?: number;
}

/** Says that what is shown could not be read again, once that matters. Of a server that is away, the bar above the page
 *  says so. */
export function FromBefore({ query }: { readonly query: Read | undefined }) {
  if (!query?.error || query.data === undefined) return null;
  return <Old error={query.error} at={query.dataUpdatedAt ?? 0} />;
}

function Old({ error, at }: { readonly error: unknown; readonly at: number }) {
  const now = useNow();
  const fault = faultOf(error);
  if (fault.unanswered || now - at < OLD_MS) return null;
  return (
    <p className={styles.old} role="status">
      This is from {ago(at, now)}: it could not be read again. {wordsOf(fault)}
    </p>
  );
}
