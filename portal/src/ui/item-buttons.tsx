import { ActionIcon, type ActionIconProps, Button } from '@mantine/core';
import { IconTrash } from './icons.ts';

interface RemoveItemProps extends ActionIconProps {
  /** The kind of item, as `useItemFocus` has it. */
  readonly kind: string;
  /** What it does: `Remove volume 2`. */
  readonly label: string;
  readonly remove: () => void;
}

/** The button that removes one of several items of a form. */
export function RemoveItem({ kind, label, remove, ...props }: RemoveItemProps) {
  return (
    <ActionIcon {...props} aria-label={label} data-remove={kind} onClick={remove}>
      <IconTrash size={16} />
    </ActionIcon>
  );
}

/** What the fields of one of several items of a form need. */
export interface ItemProps<Item> {
  readonly index: number;
  readonly errorOf: (field: string) => string | undefined;
  readonly change: (next: Item) => void;
  /** Absent: it is the only one. */
  readonly remove?: () => void;
}

interface AddItemProps {
  readonly children: string;
  readonly add: () => void;
}

/** The button below the items of a form that adds another. */
export function AddItem({ children, add }: AddItemProps) {
  return (
    <div>
      <Button size="xs" variant="default" onClick={add} data-add>
        {children}
      </Button>
    </div>
  );
}
