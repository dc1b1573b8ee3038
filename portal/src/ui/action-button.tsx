import type { ButtonProps } from '@mantine/core';
import type { RowAction } from './row-menu.tsx';
import { VerbButton } from './verb-button.tsx';

interface ActionButtonProps<Row> extends ButtonProps {
  readonly action: RowAction<Row>;
  readonly row: Row;
}

/** What a menu has as a line, as a button: it says the same, and why it can't be pressed now. */
export function ActionButton<Row>({ action, row, ...props }: ActionButtonProps<Row>) {
  return (
    <VerbButton
      size="xs"
      variant="default"
      {...props}
      why={action.disabled?.(row)}
      call={() => action.call?.(row)}
      onClick={() => action.run(row)}
    >
      {action.label}
    </VerbButton>
  );
}
