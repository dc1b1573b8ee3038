import type { Command } from 'commander';
import { Context, type Globals } from '../context.ts';
import { followTask } from '../follow.ts';
import { addOutput } from '../operation-command.ts';
import type { Terminal } from '../terminal.ts';

/** `task watch ID`. */
export function addTaskHelpers(noun: Command, terminal: Terminal): void {
  const command = noun
    .command('watch')
    .description('Follow a task to its end')
    .argument('<task>', 'its id; virga task list shows them');
  addOutput(command).action(async (id: string, globals: Globals) => {
    const context = new Context(terminal, globals);
    const task = await followTask(context.connect().client, id, terminal, globals.quiet);
    const { task_type, state, subject, created_on, finished_on } = task;
    const isPlain = (globals.output ?? 'table') === 'table' && globals.query === undefined;
    context.print(isPlain ? { id, task_type, subject, state, created_on, finished_on } : task);
  });
}
