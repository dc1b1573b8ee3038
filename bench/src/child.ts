import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Ends a process, and waits for its end. */
export async function endChild(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}
