import { type ReactNode, useId, useRef } from 'react';
import styles from './conf-editor.module.css';

interface ConfEditorProps {
  readonly label: string;
  readonly value: string;
  /** By line, from 1. */
  readonly faults: ReadonlyMap<number, readonly string[]>;
  readonly change: (value: string) => void;
}

/** The text of a configuration with numbered lines; what is wrong with a line stands behind it. */
export function ConfEditor({ label, value, faults, change }: ConfEditorProps): ReactNode {
  const id = useId();
  const behind = useRef<HTMLDivElement>(null);
  const lines = value.split('\n');
  return (
    <div className={styles.editor}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.body}>
        <div className={styles.numbers} aria-hidden="true">
          {lines.map((_, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
            <span key={index} data-fault={faults.has(index + 1)}>
              {index + 1}
            </span>
          ))}
        </div>
        <div className={styles.text}>
          <div className={styles.behind} ref={behind} aria-hidden="true">
            {lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line is its number
              <div key={index} data-fault={faults.has(index + 1)}>
                <span>{line || ' '}</span>
                <em>{faults.get(index + 1)?.join(', ')}</em>
              </div>
            ))}
          </div>
          <textarea
            id={id}
            className={styles.input}
            rows={Math.max(6, lines.length)}
            wrap="off"
            spellCheck={false}
            autoCapitalize="off"
            value={value}
            aria-invalid={faults.size > 0}
            aria-describedby={`${id}-faults`}
            onChange={(event) => change(event.currentTarget.value)}
            onScroll={(event) => {
              if (behind.current) behind.current.scrollLeft = event.currentTarget.scrollLeft;
            }}
          />
        </div>
      </div>
      <ul id={`${id}-faults`} className={styles.faults} aria-live="polite">
        {[...faults].map(([line, messages]) => (
          <li key={line}>
            Line {line}: {messages.join(', ')}
          </li>
        ))}
      </ul>
    </div>
  );
}
