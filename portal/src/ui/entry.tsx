import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface EntryProps {
  /** Undefined: none is shown. */
  readonly title: string | undefined;
  readonly size?: 'lg' | 'xl';
  readonly close: () => void;
  readonly children: ReactNode;
}

/** One entry of a list, all of it, in front of the list. */
export function Entry({ title, size = 'xl', close, children }: EntryProps) {
  return (
    <Modal opened={title !== undefined} onClose={close} size={size} title={title}>
      {children}
    </Modal>
  );
}
