import { Command, Help } from 'commander';
import { addAccessCommands } from './access-commands.ts';
import { addCompletion } from './completion.ts';
import { edgeCommand } from './edge/command.ts';
import { addExport } from './export/command.ts';
import { addOperations } from './operation-command.ts';
import { TABLE } from './operations.ts';
import { addMcp, addRunCommands } from './run-commands.ts';
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
  addRunCommands(program, terminal);
  addAccessCommands(program, terminal);
  addExport(program, terminal);
  addCompletion(program, terminal);
  addMcp(program, terminal);
  for (const { noun, group, means } of TABLE.nouns)
    program.command(noun).description(means).usage('<verb> [options]').helpGroup(group);
  program.addCommand(edgeCommand().helpGroup('A cloud on this machine:').copyInheritedSettings(program));
  program.hook('preSubcommand', (_, noun) => {
    addOperations(noun, terminal);
    explainUnknown(
      noun,
      () => `What can be done with ${noun.name()}:\n  ${lines(verbsOf(noun), 2)}`,
      terminal,
    );
  });
  explainUnknown(program, () => 'All commands and nouns: virga --help', terminal);
  // One screen: the nouns in a line for each group, though a wrong word is compared with each of them.
  const isNoun = new Set(TABLE.nouns.map(({ noun }) => noun));
  program.configureHelp({
    sortSubcommands: false,
    formatHelp: (command, helper) => {
      helper.visibleCommands = (each) =>
        Help.prototype.visibleCommands.call(helper, each).filter((one) => !isNoun.has(one.name()));
      return Help.prototype.formatHelp.call(helper, command, helper);
    },
  });
  program.addHelpText('after', () => `\nNouns of the API:\n${nounsByGroup()}\n\n${MORE}`);
  return program;
}

/** Says what there is: what commander finds near to an unknown word, if anything, need not be what was meant. */
function explainUnknown(command: Command, words: () => string, terminal: Terminal): void {
  command.exitOverride((error) => {
    if (error.code === 'commander.unknownCommand') terminal.say(words());
    throw error;
  });
}

const verbsOf = (noun: Command): readonly string[] =>
  noun
    .createHelp()
    .visibleCommands(noun)
    .map((verb) => verb.name());

const MORE = 'virga <noun> --help says what can be done with it. The manual is docs/command.md.';
const INDENT = 26;

function nounsByGroup(): string {
  const groups = [...new Set(TABLE.nouns.map(({ group }) => group))];
  return groups
    .map((group) => {
      const nouns = TABLE.nouns.filter((each) => each.group === group).map(({ noun }) => noun);
      return `  ${group.padEnd(INDENT - 2)} ${lines(nouns, INDENT + 1)}`;
    })
    .join('\n');
}

const WIDTH = 80;

/** Words in lines of a terminal, those after the first indented by so many columns. */
function lines(words: readonly string[], indent: number): string {
  const room = WIDTH - indent;
  const all = words.reduce<string[]>((made, word) => {
    const last = made.at(-1);
    if (last !== undefined && last.length + word.length + 2 < room)
      made[made.length - 1] = `${last}, ${word}`;
    else made.push(word);
    return made;
  }, []);
  return all.join(`,\n${' '.repeat(indent)}`);
}
