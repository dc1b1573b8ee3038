import type { Command } from 'commander';
import { programOf } from '../../../scripts/lib/programs.mjs';
import { ended } from '../ended.ts';
import { UsageError } from '../failures.ts';
import { ROOT } from '../root.ts';
import type { Terminal } from '../terminal.ts';

/** What concerns the file of regions, which a node reads: it needs the settings of a node, and no server that runs. */
export function addRegionHelpers(noun: Command, terminal: Terminal): void {
  noun
    .command('check')
    .argument('<name>', 'a region of the file that VIRGA_REGIONS names')
    .description('Say what the cloud of a region can do, and what it cannot')
    .action((name: string) => run(terminal, ['check', name]));
  noun
    .command('seal')
    .argument('<credential-id>', 'of an application credential; its secret is read from the standard input')
    .description('Seal the credential of a region, as the file of regions has it')
    .action((id: string) => run(terminal, ['seal', id]));
}

async function run(terminal: Terminal, words: readonly string[]): Promise<void> {
  const { isConfigError, regionCommand } = await programOf(ROOT, 'server', 'region-command');
  const around = {
    env: terminal.env,
    print: (line: string) => terminal.print(line),
    say: (line: string) => terminal.say(line),
  };
  try {
    ended(await regionCommand(words, around));
  } catch (error) {
    if (isConfigError(error)) throw new UsageError((error as Error).message);
    throw error;
  }
}
