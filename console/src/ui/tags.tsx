import { useState } from 'react';
import { hint, hintWhenCut } from './hint.tsx';
import styles from './tags.module.css';

interface Tag {
  readonly key: string;
  readonly value: string;
  readonly read_only: boolean;
}

const SHOWN = 2;

/** The first tags, the others when pointed at, and all of them when pressed. */
export function Tags({ tags }: { readonly tags: readonly Tag[] }) {
  const [all, setAll] = useState(false);
  const rest = all ? [] : tags.slice(SHOWN);
  return (
    <span className={styles.tags} data-all={all || undefined}>
      {(all ? tags : tags.slice(0, SHOWN)).map(({ key, value }) => (
        <span key={key} className={styles.tag} {...hintWhenCut}>
          {key}: {value}
        </span>
      ))}
      {rest.length > 0 && (
        <button
          type="button"
          className={styles.tag}
          aria-label={`Show ${rest.length} more tags`}
          onClick={() => setAll(true)}
          {...hint(() => rest.map(({ key, value }) => `${key}: ${value}`).join(', '))}
        >
          +{rest.length}
        </button>
      )}
    </span>
  );
}
