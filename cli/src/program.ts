import { Command } from 'commander';
import { addAccessCommands } from './access-commands.ts';
import { edgeCommand } from './edge/command.ts';
import { addOperations } from './operation-command.ts';
import { TABLE } from './operations.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** `virga`, with the verbs of a noun only once the noun is called. */
export function programOf(terminal: Terminal): Command {
  const program = new Command('virga')
    .description('A cloud on your machine, or elsewhere, on the command line')
    .version(VERSION, '-V, --version')
    .usage('<command> | <noun> <verb> [options]')
    .enablePositionalOptions()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.say(text.trimEnd()),
    })
    .configureHelp({ showGlobalOptions: false, sortSubcommands: false })
    .helpCommand(false)
    .exitOverride();
  addAccessCommands(program, terminal);
  for (const { noun, group, means } of TABLE.nouns)
    program.command(noun).description(means).usage('<verb> [options]').helpGroup(group);
  program.addCommand(edgeCommand().helpGroup('Operators:').copyInheritedSettings(program));
  program.hook('preSubcommand', (_, noun) => addOperations(noun, terminal));
  program.addHelpText(
    'after',
    '\nvirga <noun> --help says what can be done with it. The manual is docs/command.md.',
  );
  return program;
}
