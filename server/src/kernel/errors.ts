/** Work that can never succeed as asked; the reason is written for the user and ends the task. */
export class TaskFailed extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = 'TaskFailed';
    this.reason = reason;
  }
}
