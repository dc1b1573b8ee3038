import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createClient, type VirgaClient } from '../../client/src/index.ts';
import { currentInstances, resolveDataDir } from '../../server/src/platform/database/embedded/instance.mjs';
import { NoCloud, UsageError } from './failures.ts';
import { readKept, type Usual } from './profiles.ts';

/** A cloud that the command can talk to. */
export interface Cloud {
  readonly url: string;
  /** An API token; undefined: none is known here. */
  readonly token: string | undefined;
  /** For what only the operator may do; undefined: none is known here. */
  readonly operatorToken: string | undefined;
  /** How it was found, in words. */
  readonly from: string;
  /** Where its data is, if it runs on this machine. */
  readonly dataDir: string | undefined;
  readonly pid: number | undefined;
}

export interface Sought {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  /** The profile that was asked for. */
  readonly profile?: string | undefined;
}

/** The data directory of this person, for clouds that belong to no folder. */
export function userDataDir(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_DATA_HOME || path.join(env.HOME || os.homedir(), '.local', 'share');
  return path.join(folder, 'virga');
}

/** Where a cloud may run, in the order in which they are looked at. */
export const dataDirs = ({ env, cwd }: Sought): readonly string[] => [
  resolveDataDir(env, cwd),
  ...(env.VIRGA_DATA_DIR ? [] : [userDataDir(env)]),
];

/** The data directory that is meant: what runs, or else what is there. */
export function dataDirHere(sought: Sought): string {
  const dirs = dataDirs(sought);
  return dirs.find((each) => runningOn(each)) ?? dirs.find((each) => existsSync(each)) ?? dirs[0] ?? '';
}

/** The cloud that is meant: the profile that was asked for, VIRGA_URL, what runs on the data directory of the folder,
 *  the current profile, or what runs on the data directory of this person.
 *  @throws NoCloud */
export function findCloud(sought: Sought): Cloud {
  const { env } = sought;
  const requested = sought.profile ?? env.VIRGA_PROFILE;
  if (requested) return profileOf(env, requested);
  if (env.VIRGA_URL) return cloudOfEnvironment(env);
  const [first = '', second] = dataDirs(sought);
  const { current } = readKept(env);
  const found =
    runningOn(first) ?? (current ? profileOf(env, current) : undefined) ?? (second && runningOn(second));
  if (found) return withTokens(found, env);
  throw new NoCloud('No cloud was found: start one with virga up, or sign in to one with virga login URL');
}

/** Who names a token means it, whichever cloud was found: as whom a call is made is never a surprise. */
const withTokens = (cloud: Cloud, { VIRGA_TOKEN, VIRGA_OPERATOR_TOKEN }: NodeJS.ProcessEnv): Cloud => ({
  ...cloud,
  token: VIRGA_TOKEN || cloud.token,
  operatorToken: VIRGA_OPERATOR_TOKEN || cloud.operatorToken,
});

function profileOf(env: NodeJS.ProcessEnv, name: string): Cloud {
  const { profiles } = readKept(env);
  const profile = profiles[name];
  if (!profile) {
    const names = Object.keys(profiles);
    const known =
      names.length > 0 ? `there are ${names.join(', ')}` : 'there is none yet: virga login URL makes one';
    throw new UsageError(`There is no profile "${name}"; ${known}`);
  }
  return { ...here(`the profile ${name}`), url: profile.url, token: profile.token };
}

const here = (from: string) => ({
  from,
  token: undefined,
  operatorToken: undefined,
  dataDir: undefined,
  pid: undefined,
});

function cloudOfEnvironment(env: NodeJS.ProcessEnv): Cloud {
  const { VIRGA_URL: url = '', VIRGA_TOKEN, API_TOKEN, VIRGA_OPERATOR_TOKEN } = env;
  if (!URL.canParse(url))
    throw new UsageError(`VIRGA_URL must be an address such as http://127.0.0.1:8080, not "${url}"`);
  return { ...here('VIRGA_URL'), url, token: VIRGA_TOKEN ?? API_TOKEN, operatorToken: VIRGA_OPERATOR_TOKEN };
}

/** What serves from a data directory, with the tokens of its first run if this person may read them. */
export function runningOn(dataDir: string): Cloud | undefined {
  if (!existsSync(dataDir)) return undefined;
  const instance = currentInstances(dataDir).find(({ url }) => url);
  if (!instance?.url) return undefined;
  const { API_TOKEN, OPERATOR_TOKEN } = credentialsOf(dataDir);
  return {
    from: dataDir,
    url: instance.url,
    token: API_TOKEN,
    operatorToken: OPERATOR_TOKEN,
    dataDir,
    pid: instance.pid,
  };
}

/** `NAME=value` lines of the first run. */
function credentialsOf(dataDir: string): Readonly<Record<string, string>> {
  try {
    const lines = readFileSync(path.join(dataDir, 'credentials'), 'utf8').trim().split('\n');
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  } catch {
    return {};
  }
}

/** A client of the cloud, and what is usually meant there. */
export class Connection {
  readonly cloud: Cloud;
  readonly client: VirgaClient;
  /** Looks up names, which the operator's token may not. */
  readonly #names: VirgaClient;
  readonly #usual: Usual;
  readonly #env: NodeJS.ProcessEnv;

  /** @param asOperator with the operator's token */
  constructor(cloud: Cloud, env: NodeJS.ProcessEnv, asOperator = false) {
    this.cloud = cloud;
    this.#env = env;
    this.#usual = readKept(env).usual[cloud.url] ?? {};
    const token = asOperator ? (cloud.operatorToken ?? cloud.token) : cloud.token;
    const clientOf = (value: string | undefined) =>
      createClient(value === undefined ? { baseUrl: cloud.url } : { baseUrl: cloud.url, token: value });
    this.client = clientOf(token);
    this.#names = clientOf(cloud.token ?? token);
  }

  /** @param given id or name; undefined: the usual one */
  async project(given: string | undefined): Promise<number> {
    const meant = given ?? this.#env.VIRGA_DEFAULT_PROJECT ?? this.#usual.project;
    if (meant !== undefined && /^\d+$/.test(String(meant))) return Number(meant);
    const { results } = await this.#names.get('/cloud/v1/projects');
    if (meant === undefined)
      return (results.find(({ is_default }) => is_default) ?? first(results, 'project')).id;
    return only(results, 'project', meant);
  }

  /** @param given id or name; undefined: the usual one */
  async region(given: string | undefined): Promise<number> {
    const meant = given ?? this.#env.VIRGA_DEFAULT_REGION ?? this.#usual.region;
    if (meant !== undefined && /^\d+$/.test(String(meant))) return Number(meant);
    const { results } = await this.#names.get('/cloud/v1/regions');
    const regions = results
      .map(({ id, display_name, state }) => ({ id, name: display_name, state }))
      .toSorted((a, b) => a.id - b.id);
    if (meant === undefined)
      return (regions.find(({ state }) => state === 'ACTIVE') ?? first(regions, 'region')).id;
    return only(regions, 'region', meant);
  }

  async account(): Promise<number> {
    return (await this.client.get('/iam/clients/me')).id;
  }
}

interface Named {
  readonly id: number;
  readonly name: string;
}

/** @throws UsageError unless exactly one is called so */
function only(all: readonly Named[], what: string, meant: string | number): number {
  const found = all.filter(({ name }) => name === meant);
  if (found.length === 1) return first(found, what).id;
  const list = (found.length > 0 ? found : all).map(({ id, name }) => `${name} (${id})`).join(', ');
  if (found.length > 0) throw new UsageError(`Several are called "${meant}", so give the id: ${list}`);
  throw new UsageError(`There is no ${what} "${meant}"; there are ${list}`);
}

function first<Item>(all: readonly Item[], what: string): Item {
  const [item] = all;
  if (item === undefined) throw new UsageError(`There is no ${what} that this token can use`);
  return item;
}
