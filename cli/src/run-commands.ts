import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type Command, Option } from 'commander';
import { doctorCommand } from '../../scripts/lib/doctor.mjs';
import { enginesCommand } from '../../scripts/lib/engines.mjs';
import { programOf } from '../../scripts/lib/programs.mjs';
import { startCommand } from '../../scripts/lib/start-command.mjs';
import { stopCommand } from '../../scripts/lib/stop-command.mjs';
import { START_OPTIONS } from '../../server/src/startup/start-options.mjs';
import { addBackupCommands } from './backup-commands.ts';
import { openInBrowser } from './browser.ts';
import { dataDirHere, dataDirs } from './connection.ts';
import { Context, type Globals } from './context.ts';
import { ended } from './ended.ts';
import { NoCloud, UsageError } from './failures.ts';
import { addOutput } from './operation-command.ts';
import { ROOT } from './root.ts';
import type { Terminal } from './terminal.ts';

const GROUP = 'A cloud on this machine:';

/** `up`, `down` and what concerns the cloud that runs here. */
export function addRunCommands(program: Command, terminal: Terminal): void {
  const add = (name: string, means: string) => program.command(name).helpGroup(GROUP).description(means);
  const up = add('up', 'start a cloud on this machine');
  for (const { name, value, optional, means } of START_OPTIONS) {
    if (name === '--help' || name === '--version') continue;
    const form = value === undefined ? name : optional ? `${name} [${value}]` : `${name} <${value}>`;
    up.addOption(new Option(form, means));
  }
  up.option('-V, --version', 'print the version').addHelpText(
    'after',
    '\nSettings come from the environment: docs/operations.md lists them.',
  );
  up.action((options: Readonly<Record<string, string | boolean>>) => start(options));
  add('down', 'stop it')
    .option('--purge', 'forget its data, too')
    .option('--data-dir <FOLDER>', 'which one, instead of the one that is found here')
    .option('-y, --yes', 'do not ask')
    .action((options: Stopped) => stop(options, terminal));
  addOutput(add('status', 'say which cloud is found here, and whether it is ready')).action(
    (globals: Globals) => status(new Context(terminal, globals)),
  );
  add('logs', 'print what it has said')
    .option('-f, --follow', 'and what it says from now on')
    .option('--task <id>', 'only what concerns this task')
    .action((options: Followed) => logs(options, terminal));
  addOutput(add('open', 'open the portal, signed in')).action((globals: Globals) =>
    open(new Context(terminal, globals)),
  );
  addOutput(add('env', 'print settings for shells, SDKs and other tools')).action((globals: Globals) =>
    environment(new Context(terminal, globals)),
  );
  addBackupCommands(add, terminal);
  add('doctor', 'say what is missing on this machine, and how to get it').action(async () => {
    ended(await doctorCommand(ROOT, (line) => terminal.print(line)));
  });
  add('engines', 'list programs that regions run on, or install some')
    .argument('[words...]')
    .action(async (words: string[]) => {
      const [dataDir = ''] = dataDirs(terminal);
      ended(await enginesCommand(ROOT, words, dataDir, 'virga engines'));
    });
}

/** `virga mcp`, for agents. */
export function addMcp(program: Command, terminal: Terminal): void {
  program
    .command('mcp')
    .helpGroup('Which cloud:')
    .description('serve the Model Context Protocol, for agents')
    .option('--allow-writes', 'also with tools that change something')
    .option('--profile <name>', 'the cloud that virga login has kept under this name')
    .action(async ({ allowWrites = false, profile }: { allowWrites?: boolean; profile?: string }) => {
      const { serveMcp } = await programOf(ROOT, 'cli', 'mcp');
      const { env, cwd } = terminal;
      await serveMcp({ env, cwd, profile, allowWrites, root: ROOT });
    });
}

/** Commander has read the options for its help and its suggestions; the start reads them itself. */
async function start(options: Readonly<Record<string, string | boolean>>): Promise<void> {
  const args = START_OPTIONS.flatMap(({ name }) => {
    const value = options[new Option(name).attributeName()];
    if (value === undefined) return [];
    return value === true ? [name] : [`${name}=${value}`];
  });
  ended(await startCommand(ROOT, args, 'virga up'));
}

interface Stopped {
  readonly purge?: boolean;
  readonly dataDir?: string;
  readonly yes?: boolean;
}

async function stop({ purge, dataDir, yes }: Stopped, terminal: Terminal): Promise<void> {
  const folder = dataDir ?? dataDirHere(terminal);
  // A script says what it wants; a person may have mistaken the folder.
  if (purge && terminal.isInteractive)
    await new Context(terminal, { ...(yes && { yes }) }).confirm(`Forget all data in ${folder}`);
  ended(await stopCommand([`--data-dir=${folder}`, ...(purge ? ['--purge'] : [])], 'virga down'));
}

async function status(context: Context): Promise<void> {
  const { url, from, dataDir, pid, token } = context.cloud();
  const answer = await fetch(new URL('/readyz', url)).catch(() => undefined);
  const state = answer === undefined ? 'away' : answer.ok ? 'ready' : 'not ready';
  context.print({
    url,
    state,
    portal: url,
    reference: `${url}/docs`,
    found_by: from,
    ...(dataDir !== undefined && { data_dir: dataDir, pid }),
    token: token === undefined ? 'none' : 'known',
  });
  if (state === 'away') throw new NoCloud(`${url} does not answer`);
  if (state !== 'ready') throw new NoCloud(`${url} is not ready: ${(await answer?.text()) ?? ''}`.trim());
}

async function open(context: Context): Promise<void> {
  const cloud = context.cloud();
  const { url, dataDir, operatorToken } = cloud;
  if (dataDir === undefined || operatorToken === undefined) return context.print({ portal: url });
  const { token } = await context.connect(true).client.post('/virga/v1/session/links');
  const link = `${url}/sign-in#${token}`;
  if (context.terminal.isInteractive && openInBrowser(dataDir, link, context.terminal.env))
    return context.print({ portal: url, opened: 'in the browser' });
  context.print({ portal: link, works: 'once, for five minutes' });
}

/** For a shell; most values need no quotes. */
const quoted = (value: string) =>
  /^[\w./:@%+,$[\]-]+$/.test(value) && !value.includes('$') ? value : `'${value.replaceAll("'", `'\\''`)}'`;

async function environment(context: Context): Promise<void> {
  const connection = context.connect();
  const { url, token = '', operatorToken } = connection.cloud;
  const project = await connection.project(undefined);
  const region = await connection.region(undefined);
  const values: Readonly<Record<string, string>> = {
    VIRGA_URL: url,
    VIRGA_TOKEN: token,
    ...(operatorToken && { VIRGA_OPERATOR_TOKEN: operatorToken }),
    API_TOKEN: token,
    // What SDKs and providers of the contract read.
    GCORE_API_KEY: token,
    GCORE_PERMANENT_TOKEN: token,
    GCORE_BASE_URL: url,
    GCORE_API_ENDPOINT: url,
    GCORE_CLOUD_PROJECT_ID: String(project),
    GCORE_CLOUD_REGION_ID: String(region),
  };
  for (const [name, value] of Object.entries(values))
    context.terminal.print(`export ${name}=${quoted(value)}`);
}

interface Followed {
  readonly follow?: boolean;
  readonly task?: string;
}

const LOOK_EVERY_MS = 250;

async function logs({ follow, task }: Followed, terminal: Terminal): Promise<void> {
  const file = dataDirs(terminal)
    .map((folder) => path.join(folder, 'virga.log'))
    .find((each) => existsSync(each));
  if (file === undefined)
    throw new UsageError(
      'There is no log here: only a cloud that was started with --detach or --wait keeps one',
    );
  const printer = new LinePrinter((line) => {
    if (task === undefined || line.includes(task)) terminal.print(line);
  });
  let read = 0;
  const more = () => {
    const { size } = statSync(file);
    // Another start has begun a new one.
    if (size < read) read = 0;
    if (size === read) return;
    const text = readFileSync(file).subarray(read);
    read += text.length;
    printer.add(text.toString());
  };
  more();
  if (!follow) return printer.end();
  // Its size is asked for: a watch would not tell of what came before it began.
  const looking = setInterval(more, LOOK_EVERY_MS);
  await new Promise<void>((resolve) => {
    terminal.onInterrupt(resolve);
  });
  clearInterval(looking);
}

/** Text in pieces, printed in whole lines. */
class LinePrinter {
  readonly #print: (line: string) => void;
  #rest = '';

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#print(line);
  }

  end(): void {
    if (this.#rest !== '') this.#print(this.#rest);
  }
}
