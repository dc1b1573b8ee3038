import { Alert, Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { CopyText } from './copy.tsx';
import styles from './shown-once.module.css';

export interface Secret {
  readonly label: string;
  readonly value: string;
}

interface ShownOnceProps {
  readonly title: string;
  /** What to do with it. */
  readonly about: string;
  /** Undefined: nothing is to be shown. */
  readonly secrets: readonly Secret[] | undefined;
  readonly close: () => void;
}

/** What the server shows only once of something that was just made: `show` it when it answers. */
export function useShownOnce(label: string, words: Pick<ShownOnceProps, 'title' | 'about'>) {
  const [value, show] = useState<string>();
  const secrets = value === undefined ? undefined : [{ label, value }];
  return { show, dialog: <ShownOnce {...words} secrets={secrets} close={() => show(undefined)} /> };
}

/** What the server shows only once: each value with its copy button, until it is said to be kept. */
export function ShownOnce({ title, about, secrets, close }: ShownOnceProps) {
  return (
    <Modal opened={secrets !== undefined} onClose={close} title={title} size="lg" closeOnClickOutside={false}>
      <Alert variant="light" title="This is the only time that it is shown">
        {about}
      </Alert>
      <dl className={styles.secrets}>
        {(secrets ?? []).map(({ label, value }, index) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <CopyText value={value} label={`Copy ${label.toLowerCase()}`} first={index === 0} />
            </dd>
          </div>
        ))}
      </dl>
      <Button onClick={close}>I have copied it</Button>
    </Modal>
  );
}
