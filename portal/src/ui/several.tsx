import { useState } from 'react';
import styles from './several.module.css';

const SHOWN = 3;

interface SeveralProps {
  readonly values: readonly string[];
  /** Said where there are none. */
  readonly none: string;
}

/** The first of many values, and all of them when they are asked for. */
export function Several({ values, none }: SeveralProps) {
  const [all, setAll] = useState(false);
  if (values.length === 0) return none;
  const rest = values.length - SHOWN;
  if (all || rest <= 1) return values.join(', ');
  return (
    <>
      {values.slice(0, SHOWN).join(', ')}{' '}
      <button type="button" className={styles.more} onClick={() => setAll(true)}>
        and {rest} more
      </button>
    </>
  );
}
