import { type MouseEvent, useEffect, useState } from 'react';
import { copyText } from './clipboard.ts';
import { hint, showHint } from './hint.tsx';
import styles from './icon-button.module.css';
import { IconCheck, IconCopy } from './icons.ts';

const COPY = <IconCopy size={14} />;
const COPIED = <IconCheck size={14} />;
const SAID_MS = 1_500;

interface CopyProps {
  readonly value: string;
  readonly label?: string;
  /** A dialog begins with it. */
  readonly first?: boolean;
}

/** A button that copies `value` and says so. */
export function Copy({ value, label = 'Copy ID', first = false }: CopyProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async ({ currentTarget }: MouseEvent<HTMLElement>) => {
    const done = await copyText(value);
    setCopied(done);
    showHint(currentTarget, done ? 'Copied' : 'This browser does not let pages copy');
  };
  return (
    <button
      type="button"
      className={styles.button}
      data-size="sm"
      data-autofocus={first || undefined}
      aria-label={label}
      onClick={(event) => void copy(event)}
      {...hint(label)}
    >
      {copied ? COPIED : COPY}
    </button>
  );
}

/** An id or address in code letters, with its copy button.
 *  @param shown where there is no room for all of it */
export function CopyText({ value, shown = value, ...copy }: CopyProps & { readonly shown?: string }) {
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2, minWidth: 0, maxWidth: '100%' }}>
      <code style={{ overflow: 'hidden', overflowWrap: 'anywhere', textOverflow: 'ellipsis' }}>{shown}</code>
      <Copy value={value} {...copy} />
    </span>
  );
}
