import { type ReactNode, useState } from 'react';
import type { ApiCall } from '../api/client.ts';
import { nameOf as byName, idOf, type Named } from '../api/named.ts';
import { copyText } from './clipboard.ts';
import { ConfirmDelete } from './confirm-delete.tsx';
import { startTask } from './follow-task.tsx';
import type { RowAction } from './row-menu.tsx';

export interface DeleteOptions<Row> {
  readonly kind: string;
  /** Default: its name. */
  readonly nameOf?: (row: Row) => string;
  /** What stops with it. */
  readonly consequences: (row: Row) => ReactNode;
  readonly askName?: (row: Row) => boolean;
  readonly call: (row: Row) => ApiCall;
  readonly disabled?: (row: Row) => string | undefined;
  readonly deleted?: () => unknown;
  /** What else than deleting is asked about, and how the menu names it. */
  readonly instead?: { readonly verb: string; readonly label: string };
}

/** For `useDelete`, where nothing is deleted. */
export const NOTHING: DeleteOptions<Named> = {
  kind: '',
  consequences: () => '',
  call: () => {
    throw new Error('Nothing is deleted here');
  },
};

/** The row action that deletes or loses something, and the question it asks first. */
export function useDelete<Row extends Named>(
  options: DeleteOptions<Row>,
): {
  readonly action: RowAction<Row>;
  readonly dialog: ReactNode;
} {
  const { kind, nameOf = byName, consequences, askName, call, disabled, deleted, instead } = options;
  const { verb, label } = instead ?? { verb: 'Delete', label: 'Delete…' };
  const [doomed, setDoomed] = useState<Row>();
  const dialog = (
    <ConfirmDelete
      name={doomed && nameOf(doomed)}
      kind={kind}
      verb={verb}
      askName={doomed !== undefined && (askName?.(doomed) ?? false)}
      consequences={doomed && consequences(doomed)}
      close={() => setDoomed(undefined)}
      confirm={() => {
        if (!doomed) return;
        void startTask(call(doomed), { title: `${verb} ${nameOf(doomed)}`, accepted: deleted });
      }}
    />
  );
  return {
    action: { label, danger: true, run: setDoomed, call, ...(disabled ? { disabled } : {}) },
    dialog,
  };
}

/** The row action that copies the id. */
export const copyId: RowAction<Named> = {
  label: 'Copy ID',
  run: (row) => void copyText(idOf(row)),
};

/** Why something that a task changes can't be changed now. */
export const whyBusy = ({ task_id }: { readonly task_id?: string | null }): string | undefined =>
  task_id ? `Task ${task_id.slice(0, 8)} is changing it` : undefined;
