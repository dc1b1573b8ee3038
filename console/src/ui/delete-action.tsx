import { type ReactNode, useState } from 'react';
import { ConfirmDelete } from './confirm-delete.tsx';
import { startTask } from './follow-task.tsx';
import type { RowAction } from './list-page.tsx';

type Answer = Promise<{ data?: { tasks?: readonly string[] } | undefined; error?: unknown }>;

export interface DeleteOptions<Row> {
  readonly kind: string;
  readonly nameOf: (row: Row) => string;
  /** What stops with it. */
  readonly consequences: (row: Row) => ReactNode;
  readonly askName?: (row: Row) => boolean;
  readonly call: (row: Row) => Answer;
  readonly disabled?: (row: Row) => string | undefined;
  readonly deleted?: () => void;
}

/** The row action that deletes, and the question it asks first. */
export function useDelete<Row>(options: DeleteOptions<Row>): {
  readonly action: RowAction<Row>;
  readonly dialog: ReactNode;
} {
  const { kind, nameOf, consequences, askName, call, disabled, deleted } = options;
  const [doomed, setDoomed] = useState<Row>();
  const dialog = (
    <ConfirmDelete
      name={doomed && nameOf(doomed)}
      kind={kind}
      askName={doomed !== undefined && (askName?.(doomed) ?? false)}
      consequences={doomed && consequences(doomed)}
      close={() => setDoomed(undefined)}
      confirm={() => {
        if (!doomed) return;
        const answer = call(doomed);
        void startTask(answer, { title: `Delete ${nameOf(doomed)}` });
        void answer.then(({ error }) => error === undefined && deleted?.());
      }}
    />
  );
  return {
    action: { label: 'Delete…', danger: true, run: setDoomed, ...(disabled ? { disabled } : {}) },
    dialog,
  };
}

/** The row action that copies the id. */
export const copyId = <Row,>(idOf: (row: Row) => string): RowAction<Row> => ({
  label: 'Copy ID',
  run: (row) => void navigator.clipboard.writeText(idOf(row)),
});

/** Why something that a task changes can't be changed now. */
export const whyBusy = ({ task_id }: { readonly task_id?: string | null }): string | undefined =>
  task_id ? `Task ${task_id.slice(0, 8)} is changing it` : undefined;
