import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { VerbButton } from './verb-button.tsx';

export interface ConfirmDeleteProps {
  /** What is to be deleted; undefined: nothing is asked. */
  readonly name: string | undefined;
  readonly kind: string;
  /** Default: delete. */
  readonly verb?: string | undefined;
  /** What stops with it. */
  readonly consequences: ReactNode;
  /** Ask for the name, because traffic or data would be lost. */
  readonly askName: boolean;
  readonly confirm: () => void;
  readonly close: () => void;
}

/** Says what stops, and asks for the name only where something would be missed. */
export function ConfirmDelete(props: ConfirmDeleteProps) {
  const { name, kind, verb = 'Delete', consequences, askName, confirm, close } = props;
  const [typed, setTyped] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another thing is asked about anew
  useEffect(() => setTyped(''), [name]);
  return (
    <Modal opened={name !== undefined} onClose={close} title={`${verb} ${kind} ${name ?? ''}?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
          close();
        }}
      >
        <div style={{ marginBottom: 16 }}>{consequences}</div>
        {askName && (
          <TextInput
            label={`Type ${name} to ${verb.toLowerCase()} it`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            data-autofocus
            autoComplete="off"
          />
        )}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close} data-autofocus={askName ? undefined : true}>
            {verb === 'Delete' ? 'Keep it' : 'Leave it'}
          </Button>
          <VerbButton
            type="submit"
            color="red"
            why={askName && typed !== name ? `Type ${name} first` : undefined}
          >
            {verb} {kind}
          </VerbButton>
        </Group>
      </form>
    </Modal>
  );
}
