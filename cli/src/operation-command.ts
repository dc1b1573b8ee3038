import { type Command, Option } from 'commander';
import { Context, type Globals } from './context.ts';
import { linesOf } from './failures.ts';
import { HELPERS } from './helpers/index.ts';
import { TABLE } from './operations.ts';
import { FORMATS } from './output/print.ts';
import { type Given, runOperation } from './run-operation.ts';
import { type FlagRow, flagOf, type OperationRow, scopesOf } from './table/shapes.ts';
import type { Terminal } from './terminal.ts';

/** Flags of the API, by where their values go. */
const HEADINGS = {
  short: 'Short forms:',
  needed: 'Needed:',
  body: 'Fields:',
  query: 'Filters and details:',
} as const;
const EVERYWHERE = 'Everywhere:';

/** Adds the operations of a noun as its verbs. */
export function addOperations(noun: Command, terminal: Terminal): void {
  HELPERS[noun.name()]?.(noun, terminal);
  const taken = new Set(noun.commands.map((each) => each.name()));
  const rows = TABLE.operations.filter((row) => row.noun === noun.name() && !taken.has(row.verb));
  for (const row of rows.toSorted((a, b) => rank(a) - rank(b))) addOperation(noun, row, terminal);
  noun.helpCommand(false);
}

const USUAL = ['create', 'list', 'get', 'update', 'delete'];
/** What is called most comes first. */
const rank = ({ verb }: OperationRow): number => (USUAL.includes(verb) ? USUAL.indexOf(verb) : USUAL.length);

/** What a hand-made verb has beside the flags of its operation. */
export interface Shape {
  readonly means?: string;
  readonly options?: readonly Option[];
  /** Fields of the body; those of flags count more. @param options by commander's names */
  readonly body?: (options: Readonly<Record<string, unknown>>, context: Context) => Promise<Fields> | Fields;
  /** What is done instead of the call. */
  readonly instead?: (given: Given, context: Context) => Promise<void>;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Adds an operation as a verb. */
export function addOperation(noun: Command, row: OperationRow, terminal: Terminal, shape: Shape = {}): void {
  const command = noun.command(row.verb, { hidden: row.old === true }).description(shape.means ?? row.means);
  const name = nameOf(row);
  for (const each of row.args) command.argument(`<${argumentOf(each.name)}>`);
  if (name) command.argument('[name]', name.means);
  for (const option of shape.options ?? []) command.addOption(option.helpGroup(HEADINGS.short));
  for (const flag of row.flags) for (const option of optionsOf(flag)) command.addOption(option);
  if (row.body)
    command.addOption(
      new Option('--file <file>', 'JSON or YAML with the body; - is standard input').helpGroup(HEADINGS.body),
    );
  addGlobals(command, row);
  command.action(async (...all: unknown[]) => {
    const options: Fields = command.optsWithGlobals();
    const given = row.flags.map((flag) => [flag.name, options[attributeOf(flag)]] as const);
    const flags = Object.fromEntries(given.filter(([, value]) => value !== undefined));
    const named = all[row.args.length];
    if (name && typeof named === 'string') flags[name.name] ??= named;
    const context = new Context(terminal, options as Globals);
    await naming(row, async () => {
      const body = await shape.body?.(options, context);
      const call: Given = {
        args: all.slice(0, row.args.length) as string[],
        flags,
        file: options.file as string | undefined,
        ...(body && { body }),
      };
      await (shape.instead ?? ((each, where) => runOperation(row, each, where)))(call, context);
    });
  });
}

/** What is created has a name, mostly, which may stand behind the verb. */
const nameOf = ({ verb, args, flags }: OperationRow): FlagRow | undefined =>
  verb === 'create' && args.length === 0
    ? flags.find(({ name, in: where }) => where === 'body' && (name === 'name' || name === 'cluster_name'))
    : undefined;

/** Lets errors name the flags of the operation. */
export async function naming(row: OperationRow, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Explained(error, linesOf(error, new Set(row.flags.map(({ name }) => name))));
  }
}

/** An error with what is said of it. */
export class Explained extends Error {
  readonly lines: readonly string[];
  constructor(error: unknown, lines: readonly string[]) {
    super(lines.join('\n'), { cause: error });
    this.lines = lines;
  }
}

/** `load_balancer_id` is shown as `load-balancer`: a name does as well. */
const argumentOf = (name: string): string => flagOf(name.replace(/_?[iI]d$/, ''));

/** How commander calls the value of a flag. */
const attributeOf = ({ name }: FlagRow): string => new Option(`--${flagOf(name)}`).attributeName();

function optionsOf(flag: FlagRow): readonly Option[] {
  const { kind, means, values, needed, many } = flag;
  const name = flagOf(flag.name);
  const group = needed ? HEADINGS.needed : HEADINGS[flag.in];
  if (kind === 'boolean') {
    return [
      new Option(`--${name}`, means).helpGroup(group),
      new Option(`--no-${name}`).hideHelp().helpGroup(group),
    ];
  }
  const option = new Option(`--${name} <${placeholderOf(flag)}>`, means).helpGroup(group);
  if (values) option.choices(values);
  if (many || kind === 'pairs') option.argParser(gathering(option));
  return [option];
}

const PLACEHOLDERS = {
  integer: 'number',
  number: 'number',
  json: 'json',
  pairs: 'key=value',
  string: 'text',
  boolean: '',
};

const placeholderOf = ({ kind, list }: FlagRow): string => (list ? 'id-or-name' : PLACEHOLDERS[kind]);

/** Keeps the check of choices, which an own parser would replace. */
export function gathering(option: Option): (value: string, before: unknown) => string[] {
  const check = option.parseArg as ((value: string, before: unknown) => unknown) | undefined;
  return (value, before) => {
    check?.(value, undefined);
    return [...(Array.isArray(before) ? (before as string[]) : []), value];
  };
}

/** What every command understands, as far as it can matter to this one. */
export function addGlobals(command: Command, row: OperationRow): void {
  const { method, risky } = row;
  const scopes = scopesOf(row).map((name) => name.replace(/_?[iI]d$/, ''));
  const add = (flags: string, means: string) =>
    command.addOption(new Option(flags, means).helpGroup(EVERYWHERE));
  if (scopes.includes('project')) add('--project <id-or-name>', 'instead of the usual project');
  if (scopes.includes('region')) add('--region <id-or-name>', 'instead of the usual region');
  if (scopes.includes('client')) add('--client <id>', 'instead of the own account');
  if (method !== 'GET') add('--no-wait', 'print the id of the task instead of waiting for its end');
  if (risky) add('-y, --yes', 'do not ask');
  addOutput(command);
}

/** How an answer is printed, and where it comes from. */
export function addOutput(command: Command): Command {
  const add = (option: Option) => command.addOption(option.helpGroup(EVERYWHERE));
  add(new Option('-o, --output <format>', 'how the answer is printed').choices(FORMATS));
  add(new Option('--query <expression>', 'JMESPath: what of the answer is printed'));
  add(new Option('--profile <name>', 'the cloud that virga login has kept under this name'));
  add(new Option('-q, --quiet', 'no progress, and nothing but the answer'));
  return command;
}
