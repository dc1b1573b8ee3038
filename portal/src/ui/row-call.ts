import type { ApiCall } from '../api/client.ts';
import { startTask } from './follow-task.tsx';
import type { RowAction } from './row-menu.tsx';

interface RowCallOptions<Row> extends Pick<RowAction<Row>, 'label' | 'danger' | 'disabled'> {
  readonly call: (row: Row) => ApiCall;
  /** What is done, with its name: of the note that follows it. */
  readonly title: (row: Row) => string;
  /** Sees the answer when the call was accepted. */
  readonly accepted?: (data: unknown, row: Row) => void;
}

/** The row action that makes a call at once. */
export const rowCall = <Row>({ title, accepted, ...action }: RowCallOptions<Row>): RowAction<Row> => ({
  ...action,
  run: (row) =>
    void startTask(action.call(row), { title: title(row), accepted: (data) => accepted?.(data, row) }),
});
