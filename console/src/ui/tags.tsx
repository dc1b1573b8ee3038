import { hint } from './hint.tsx';
import styles from './tags.module.css';

interface Tag {
  readonly key: string;
  readonly value: string;
  readonly read_only: boolean;
}

const SHOWN = 2;

/** The first tags, the others when pointed at. */
export function Tags({ tags }: { readonly tags: readonly Tag[] }) {
  const rest = tags.slice(SHOWN);
  return (
    <span className={styles.tags}>
      {tags.slice(0, SHOWN).map(({ key, value }) => (
        <span key={key} className={styles.tag}>
          {key}: {value}
        </span>
      ))}
      {rest.length > 0 && (
        <span
          className={styles.tag}
          {...hint(() => rest.map(({ key, value }) => `${key}: ${value}`).join(', '))}
        >
          +{rest.length}
        </span>
      )}
    </span>
  );
}
