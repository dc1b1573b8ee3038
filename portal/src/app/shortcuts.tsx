import { Modal } from '@mantine/core';
import styles from './shortcuts.module.css';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['⌘K, Ctrl K', 'Search, or jump to a page'],
  ['/', 'Filter the list'],
  ['j, k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['c', 'Create'],
  ['Esc', 'Close what is open'],
  ['?', 'Show this'],
];

/** Which keys do what. */
export function Shortcuts({ close }: { readonly close: () => void }) {
  return (
    <Modal opened onClose={close} title="Keyboard shortcuts">
      <dl className={styles.keys}>
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
