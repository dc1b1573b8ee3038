import { type MouseEvent, useState } from 'react';
import { hint, hintWhenCut } from './hint.tsx';
import type { Fact } from './page.tsx';
import styles from './tags.module.css';

interface Tag {
  readonly key: string;
  readonly value: string;
  readonly read_only: boolean;
}

const SHOWN = 2;
/** So many letters have room in a list. */
const SHORT = 20;

/** The fact that says which tags something has, if it has any. */
export const tagFacts = (tags: readonly Tag[]): readonly Fact[] =>
  tags.length > 0 ? [{ label: 'Tags', value: <Tags tags={tags} /> }] : [];

/** The first tags, the others when pointed at, and all of them, whole, when pressed. */
export function Tags({ tags }: { readonly tags: readonly Tag[] }) {
  const [all, setAll] = useState(false);
  const rest = all ? [] : tags.slice(SHOWN);
  const showAll = ({ currentTarget }: MouseEvent<HTMLElement>) => {
    // What is pressed goes, and the focus would go with it.
    currentTarget.parentElement?.focus();
    setAll(true);
  };
  return (
    <span className={styles.tags} data-all={all || undefined} tabIndex={-1}>
      {(all ? tags : tags.slice(0, SHOWN)).map(({ key, value }) => {
        const words = `${key}: ${value}`;
        return words.length > SHORT && !all ? (
          <button key={key} type="button" className={styles.tag} onClick={showAll} {...hintWhenCut}>
            {words}
          </button>
        ) : (
          <span key={key} className={styles.tag} {...hintWhenCut}>
            {words}
          </span>
        );
      })}
      {rest.length > 0 && (
        <button
          type="button"
          className={`${styles.tag} ${styles.more}`}
          aria-label={`Show ${rest.length} more tags`}
          onClick={showAll}
          {...hint(() => rest.map(({ key, value }) => `${key}: ${value}`).join(', '))}
        >
          +{rest.length}
        </button>
      )}
    </span>
  );
}
