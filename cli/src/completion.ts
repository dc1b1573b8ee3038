import { script } from '@bomb.sh/tab';
import { Argument, type Command, type Option } from 'commander';
import { Context } from './context.ts';
import { idIn, itemsOf, namesOf } from './names.ts';
import { addOperations } from './operation-command.ts';
import { operation, TABLE } from './operations.ts';
import { flagOf, scopesOf } from './table/shapes.ts';
import type { Terminal } from './terminal.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
/** What the scripts of shells understand: names of files are no answer. */
const NO_FILES = 4;
/** Scripts of shells expand what they are given: anything else must not reach them. */
const HARMLESS = /^[\w.:@%+/-]+$/;

/** `virga completion bash`, and what its script asks at each tab. */
export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .helpGroup('Which cloud:')
    .description('print a script that completes words')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: (typeof SHELLS)[number]) => script(shell, 'virga', 'virga'));
  program
    .command('complete', { hidden: true })
    .argument('[words...]')
    .action(async (words: readonly string[]) => {
      const found = await candidates(program, words, terminal).catch(() => []);
      const current = words.at(-1) ?? '';
      for (const { value, means } of found)
        if (value.startsWith(current) && HARMLESS.test(value)) terminal.print(`${value}\t${means}`);
      terminal.print(`:${NO_FILES}`);
    });
}

interface Candidate {
  readonly value: string;
  readonly means: string;
}

/** What may stand where the last word stands. */
async function candidates(
  program: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  const [first, second, ...rest] = words.slice(0, -1);
  if (first === undefined) return commandsOf(program);
  const noun = program.commands.find((each) => each.name() === first);
  if (!noun) return [];
  const isNoun = TABLE.nouns.some((each) => each.noun === first);
  if (!isNoun) return optionsOf(noun);
  addOperations(noun, terminal);
  if (second === undefined) return commandsOf(noun);
  const verb = noun.commands.find((each) => each.name() === second);
  return verb ? below(verb, first, rest, words.at(-1) ?? '', terminal) : [];
}

async function below(
  verb: Command,
  noun: string,
  before: readonly string[],
  current: string,
  terminal: Terminal,
): Promise<readonly Candidate[]> {
  const row = TABLE.operations.find((each) => each.noun === noun && each.verb === verb.name());
  const option = optionCalled(verb, before.at(-1));
  if (option && takesValue(option)) {
    if (option.argChoices) return option.argChoices.map((value) => ({ value, means: '' }));
    const flag = row?.flags.find(({ name }) => `--${flagOf(name)}` === option.long);
    return flag?.list ? namesIn(flag.list, terminal) : scopeNames(option.long ?? '', terminal);
  }
  if (current.startsWith('-')) return optionsOf(verb);
  const position = positionals(verb, before).length;
  // A verb that was made by hand is mostly about one of its noun.
  const list = row
    ? row.args[position]?.list
    : position === 0 && verb.registeredArguments.length > 0
      ? listOf(noun)
      : undefined;
  return list === undefined ? [] : namesIn(list, terminal);
}

const optionCalled = (verb: Command, word: string | undefined): Option | undefined =>
  verb.options.find(({ long, short }) => word !== undefined && (word === long || word === short));

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** Words that are neither options nor their values. */
function positionals(verb: Command, words: readonly string[]): readonly string[] {
  return words.filter((word, at) => {
    const before = optionCalled(verb, words[at - 1]);
    return !word.startsWith('-') && !(before && takesValue(before));
  });
}

const listOf = (noun: string): string | undefined =>
  TABLE.operations.find((each) => each.noun === noun && each.verb === 'list')?.id;

const SCOPE_LISTS: Readonly<Record<string, string>> = {
  '--project': 'listProjects',
  '--region': 'listRegions',
};

async function scopeNames(option: string, terminal: Terminal): Promise<readonly Candidate[]> {
  const list = SCOPE_LISTS[option];
  return list === undefined ? [] : namesIn(list, terminal);
}

async function namesIn(id: string, terminal: Terminal): Promise<readonly Candidate[]> {
  const list = operation(id);
  const connection = new Context(terminal, {}).connect();
  const scopes = scopesOf(list);
  // What is part of something else is named by more than the words before.
  if (list.args.length > 0) return [];
  const path = {
    ...(scopes.includes('project_id') && { project_id: await connection.project(undefined) }),
    ...(scopes.includes('region_id') && { region_id: await connection.region(undefined) }),
  };
  const items = await itemsOf({ connection, path, list });
  return items.map((item) => ({ value: namesOf(item)[0] ?? String(idIn(item)), means: String(idIn(item)) }));
}

const commandsOf = (command: Command): readonly Candidate[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ value: each.name(), means: each.description() }));

const optionsOf = (command: Command): readonly Candidate[] =>
  command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, description }) => ({ value: long ?? '', means: description }));
