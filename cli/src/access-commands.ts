import type { Command } from 'commander';
import { createClient } from '../../client/src/index.ts';
import { Context } from './context.ts';
import { UsageError } from './failures.ts';
import { addOutput } from './operation-command.ts';
import { readKept, writeKept } from './profiles.ts';
import type { Terminal } from './terminal.ts';

const GROUP = 'Which cloud:';

/** `login`, `logout` and `use`: which cloud the command talks to, and what is usually meant there. */
export function addAccessCommands(program: Command, terminal: Terminal): void {
  program
    .command('login')
    .helpGroup(GROUP)
    .description('keep the address and the token of a cloud')
    .argument('<url>', 'where it is, such as https://cloud.example')
    .option('--name <profile>', 'what it is called here; default: its host')
    .addHelpText(
      'after',
      '\nThe token is asked for, or read from standard input. virga token create makes one.',
    )
    .action((url: string, options: { readonly name?: string }) => login(url, options.name, terminal));
  program
    .command('logout')
    .helpGroup(GROUP)
    .description('forget a cloud and its token')
    .argument('<profile>')
    .action((name: string) => logout(name, terminal));
  addOutput(
    program
      .command('use')
      .helpGroup(GROUP)
      .description('keep the usual project, region or cloud')
      .option('--project <id-or-name>')
      .option('--region <id-or-name>'),
  ).action((options: Used) => use(options, terminal));
}

async function login(given: string, name: string | undefined, terminal: Terminal): Promise<void> {
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
    throw new UsageError(`The address must be such as https://cloud.example, not "${given}"`);
  const url = new URL(given).origin;
  const token = terminal.isInteractive ? await terminal.ask('API token: ', true) : terminal.input().trim();
  if (token === '')
    throw new UsageError('A token is needed: give it on standard input, or type it in a terminal');
  const account = await createClient({ baseUrl: url, token }).get('/iam/clients/me');
  const kept = readKept(terminal.env);
  const profile = name ?? new URL(url).host;
  writeKept(terminal.env, {
    ...kept,
    current: profile,
    profiles: { ...kept.profiles, [profile]: { url, token } },
  });
  terminal.say(`Signed in to ${url} as account ${account.id}; kept as the profile ${profile}`);
}

async function logout(name: string, terminal: Terminal): Promise<void> {
  const { profiles, current, usual } = readKept(terminal.env);
  if (!profiles[name]) throw new UsageError(`There is no profile "${name}"`);
  const others = Object.fromEntries(Object.entries(profiles).filter(([each]) => each !== name));
  writeKept(terminal.env, {
    profiles: others,
    usual,
    ...(current !== undefined && current !== name && { current }),
  });
  terminal.say(`The profile ${name} is forgotten`);
}

interface Used {
  readonly project?: string;
  readonly region?: string;
  readonly profile?: string;
}

async function use(options: Used, terminal: Terminal): Promise<void> {
  const { project, region, profile } = options;
  const context = new Context(terminal, options);
  const connection = context.connect();
  const { url } = connection.cloud;
  const kept = readKept(terminal.env);
  const before = kept.usual[url] ?? {};
  const usual = {
    ...before,
    ...(project !== undefined && { project: await connection.project(project) }),
    ...(region !== undefined && { region: await connection.region(region) }),
  };
  writeKept(terminal.env, {
    ...kept,
    ...(profile !== undefined && { current: profile }),
    usual: { ...kept.usual, [url]: usual },
  });
  context.print({ cloud: url, from: connection.cloud.from, project: usual.project, region: usual.region });
}
