import { hostname } from 'node:os';
import path from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { withSecretsFromFiles } from '../../../signing/src/secret-files.ts';
import { readVideoSettings, VIDEO_SETTING_NAMES, type VideoSettings } from '../../../signing/src/settings.ts';
import { type AccountRange, parseAccountRange } from '../kernel/engine-accounts.ts';
import { messageOf } from '../kernel/errors.ts';
import { type AddressRange, IpRanges, parseNetwork } from '../kernel/ip.ts';
import { FACTS } from '../platform/database/embedded/instance.mjs';
import { readKeyPair, type TlsFiles } from '../platform/http/tls.ts';
import { KEPT_A_YEAR, type Kept } from '../platform/months.ts';
import { readTracingSettings, type TracingSettings } from '../platform/tracing/settings.ts';
import { memberNetworks } from '../providers/local/index.ts';
import { SECRET_FILE_SETTINGS, SECRET_SETTINGS } from './secret-settings.ts';
import { COMMAND_SETTINGS, readStartOptions } from './start-options.mjs';

/** The whole configuration, from the environment and the files that it names for secrets, read once. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string | undefined;
  readonly smtpUrl: string | undefined;
  /** Sender of all mail. */
  readonly mailFrom: string;
  readonly logLevel: string;
  /** As asked for; where it really is may differ when PostgreSQL may not enter it. */
  readonly dataDir: string;
  readonly apiKey: string | undefined;
  readonly role: 'all' | 'api' | 'worker';
  /** Where a worker answers probes and serves its metrics; undefined: at the usual port, if that is free. */
  readonly probePort: number | undefined;
  /** Name of this machine among the nodes on one database. */
  readonly node: string;
  readonly regionsFile: string | undefined;
  /** Of prices. */
  readonly pricesFile: string | undefined;
  /** What simulated regions offer; undefined: ours. */
  readonly catalogueFile: string | undefined;
  /** Calls that a first run begins with. */
  readonly seedFile: string | undefined;
  /** Simulated durations are multiplied by this; 0 is instant. */
  readonly timeScale: number;
  readonly seed: string;
  /** Keys of 32 bytes, the one to encrypt under first; empty: the data directory keeps its own. */
  readonly masterKeys: readonly Buffer[];
  /** What SIGTERM does to running data planes: leave them to the next server, or end them as SIGINT does. */
  readonly onSigterm: 'leave' | 'stop';
  /** Networks that members of local regions may be in, and those that they may not; see `memberNetworks`. */
  readonly memberNetworks: string;
  /** The origin of a registry that nodes of Kubernetes ask first for images; undefined: none. */
  readonly imageMirror: string | undefined;
  /** Numbers of accounts for the programs of tenants; undefined: the usual ones. */
  readonly engineAccounts: AccountRange | undefined;
  /** Requests per minute and token; 0: no limit. */
  readonly rateLimit: number;
  /** Origins of web pages that may call the API, beside its own. */
  readonly corsOrigins: readonly string[] | '*';
  /** How long what has ended is kept. */
  readonly kept: Kept;
  /** Networks off the internet in which those may be who subscribe to user actions. */
  readonly webhookNetworks: readonly AddressRange[];
  /** Whose `X-Forwarded-*`, `X-Request-ID` and `traceparent` are believed; undefined: nobody's. */
  readonly trustedProxies: IpRanges | undefined;
  /** Where people reach the portal, for links in mails. */
  readonly publicUrl: string | undefined;
  /** So long a node that is not ready any more goes on answering, so that the proxies before it have noticed. */
  readonly drainMs: number;
  /** Certificate and key of the API; undefined: plain HTTP. */
  readonly tls: TlsFiles | undefined;
  /** One line in the log for each request. */
  readonly accessLog: boolean;
  /** Fields and parameters that are not known are refused, unless a request says otherwise. */
  readonly strict: boolean;
  /** People without a second factor must add one before anything else. */
  readonly requireSecondFactor: boolean;
  /** Where traces go; undefined: nothing is traced. */
  readonly tracing: TracingSettings | undefined;
  readonly video: VideoSettings;
}

/** A setting that cannot be used; its message is one line for the person who starts the program. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

/** Of a node with proxies before it: those of docs/operations.md notice within 1.5 s. */
const DRAIN_SECONDS = 2;
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const ON_SIGTERM = ['leave', 'stop'] as const;
const ROLES = ['all', 'api', 'worker'] as const;
const KNOWN: readonly string[] = [
  ...VIDEO_SETTING_NAMES,
  ...SECRET_FILE_SETTINGS,
  'VIRGA_DATA_DIR',
  'VIRGA_API_KEY',
  'VIRGA_ROLE',
  'VIRGA_NODE',
  'VIRGA_PROBE_PORT',
  'VIRGA_PRICES',
  'VIRGA_CATALOGUE',
  'VIRGA_REGIONS',
  'VIRGA_TIME_SCALE',
  'VIRGA_SEED',
  'VIRGA_SEED_FILE',
  'VIRGA_MASTER_KEY',
  'VIRGA_MAIL_FROM',
  'VIRGA_RATE_LIMIT',
  'VIRGA_TASKS_KEPT',
  'VIRGA_AUDIT_LOG_KEPT',
  'VIRGA_MEMBER_NETWORKS',
  'VIRGA_ON_SIGTERM',
  'VIRGA_WEBHOOK_NETWORKS',
  'VIRGA_CORS_ORIGINS',
  'VIRGA_TRUSTED_PROXIES',
  'VIRGA_PUBLIC_URL',
  'VIRGA_TLS_CERT',
  'VIRGA_TLS_KEY',
  'VIRGA_ACCESS_LOG',
  'VIRGA_STRICT',
  'VIRGA_REQUIRE_SECOND_FACTOR',
  'VIRGA_DRAIN_SECONDS',
  'VIRGA_ENGINES_DIR',
  'VIRGA_ENGINES_URL',
  'VIRGA_ENGINE_ACCOUNTS',
  'VIRGA_IMAGE_MIRROR',
  'VIRGA_S3_SERVER',
  'VIRGA_PG_DUMP',
  'VIRGA_PGBOUNCER',
];

/** @param args what follows the program's name: `--role api` or `--role=api`
 *  @throws ConfigError naming every wrong setting, in one line */
export function readConfig(
  environment: Environment,
  args: readonly string[] = [],
  cwd = process.cwd(),
): Config {
  const faults: string[] = [];
  const env = withSecretsFromFiles(environment, faults, SECRET_SETTINGS);
  const given = readStartOptions(args);
  faults.push(...given.faults);
  const text = (name: string) => env[name]?.trim() || undefined;
  const number = (
    name: string,
    fallback: number,
    min: number,
    max: number,
    whole: boolean,
    raw = text(name),
  ) => {
    if (raw === undefined) return fallback;
    const value = Number(raw);
    if (Number.isFinite(value) && value >= min && value <= max && (!whole || Number.isInteger(value)))
      return value;
    faults.push(
      `${name} must be ${whole ? 'a whole number' : 'a number'} from ${min} to ${max}, not "${raw}"`,
    );
    return fallback;
  };
  const choice = <T extends string>(
    name: string,
    value: string | undefined,
    values: readonly T[],
    fallback: T,
  ): T => {
    if (value === undefined) return fallback;
    const found = values.find((each) => each === value);
    if (!found) faults.push(`${name} must be one of ${values.join(', ')}, not "${value}"`);
    return found ?? fallback;
  };
  const url = (name: string, protocols: readonly string[]) => {
    const raw = text(name);
    // Not parsed any further: PostgreSQL knows forms (an empty host) that URL does not.
    if (raw !== undefined && !protocols.some((protocol) => raw.startsWith(`${protocol}//`))) {
      faults.push(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    }
    return raw;
  };
  const unknown = Object.keys(env).filter((name) => name.startsWith('VIRGA_') && !isKnown(name));
  for (const name of unknown) faults.push(`${name} is not a setting${suggestion(name)}`);
  const config: Config = {
    host: text('HOST') ?? '127.0.0.1',
    port:
      given.values.port === undefined
        ? number('PORT', 8080, 0, 65_535, true)
        : number('--port', 8080, 0, 65_535, true, given.values.port),
    databaseUrl: oneHost(url('DATABASE_URL', ['postgres:', 'postgresql:']), faults),
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('VIRGA_MAIL_FROM') ?? 'Virga <virga@localhost>',
    logLevel: choice('LOG_LEVEL', text('LOG_LEVEL'), LOG_LEVELS, 'info'),
    dataDir: path.resolve(cwd, text('VIRGA_DATA_DIR') ?? '.virga'),
    apiKey: text('VIRGA_API_KEY'),
    role: choice('VIRGA_ROLE or --role', given.values.role ?? text('VIRGA_ROLE'), ROLES, 'all'),
    probePort: text('VIRGA_PROBE_PORT') ? number('VIRGA_PROBE_PORT', 0, 0, 65_535, true) : undefined,
    node: text('VIRGA_NODE') ?? hostname(),
    pricesFile: text('VIRGA_PRICES') && path.resolve(cwd, text('VIRGA_PRICES') ?? ''),
    catalogueFile: text('VIRGA_CATALOGUE') && path.resolve(cwd, text('VIRGA_CATALOGUE') ?? ''),
    regionsFile: text('VIRGA_REGIONS') && path.resolve(cwd, text('VIRGA_REGIONS') ?? ''),
    seedFile: text('VIRGA_SEED_FILE') && path.resolve(cwd, text('VIRGA_SEED_FILE') ?? ''),
    timeScale: number('VIRGA_TIME_SCALE', 0.05, 0, 1000, false),
    seed: text('VIRGA_SEED') ?? 'virga',
    masterKeys: masterKeys(text('VIRGA_MASTER_KEY'), faults),
    // systemd says in this way that it has started us, and will start us again.
    onSigterm: choice(
      'VIRGA_ON_SIGTERM',
      text('VIRGA_ON_SIGTERM'),
      ON_SIGTERM,
      env.INVOCATION_ID ? 'leave' : 'stop',
    ),
    memberNetworks: networks(text('VIRGA_MEMBER_NETWORKS'), faults),
    imageMirror: imageMirror(text('VIRGA_IMAGE_MIRROR'), faults),
    engineAccounts: engineAccounts(text('VIRGA_ENGINE_ACCOUNTS'), faults),
    rateLimit: number('VIRGA_RATE_LIMIT', 60_000, 0, 1_000_000_000, true),
    corsOrigins: corsOrigins(text('VIRGA_CORS_ORIGINS'), faults),
    kept: {
      tasksDays: number('VIRGA_TASKS_KEPT', KEPT_A_YEAR.tasksDays, 0, 36_500, true),
      auditLogDays: number('VIRGA_AUDIT_LOG_KEPT', KEPT_A_YEAR.auditLogDays, 0, 36_500, true),
    },
    webhookNetworks: networksOf('VIRGA_WEBHOOK_NETWORKS', text('VIRGA_WEBHOOK_NETWORKS'), faults),
    trustedProxies: proxies(text('VIRGA_TRUSTED_PROXIES'), faults),
    publicUrl: publicUrl(text('VIRGA_PUBLIC_URL'), faults),
    drainMs:
      number('VIRGA_DRAIN_SECONDS', text('VIRGA_TRUSTED_PROXIES') ? DRAIN_SECONDS : 0, 0, 60, false) * 1000,
    tls: tlsFiles(text('VIRGA_TLS_CERT'), text('VIRGA_TLS_KEY'), faults, cwd),
    accessLog: choice('VIRGA_ACCESS_LOG', text('VIRGA_ACCESS_LOG'), ['on', 'off'], 'on') === 'on',
    requireSecondFactor:
      choice('VIRGA_REQUIRE_SECOND_FACTOR', text('VIRGA_REQUIRE_SECOND_FACTOR'), ['on', 'off'], 'off') ===
      'on',
    strict: choice('VIRGA_STRICT', text('VIRGA_STRICT'), ['on', 'off'], 'off') === 'on',
    tracing: readTracingSettings(env, faults),
    video: readVideoSettings(env, faults, cwd),
  };
  if (config.apiKey !== undefined && !/^[\x21-\x7e]{8,255}$/.test(config.apiKey)) {
    faults.push('VIRGA_API_KEY must be 8 to 255 visible ASCII characters');
  }
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return config;
}

function networks(raw: string | undefined, faults: string[]): string {
  try {
    memberNetworks(raw ?? '');
  } catch (error) {
    faults.push(`VIRGA_MEMBER_NETWORKS: ${(error as Error).message}`);
  }
  return raw ?? '';
}

function engineAccounts(raw: string | undefined, faults: string[]): AccountRange | undefined {
  if (raw === undefined) return undefined;
  const range = parseAccountRange(raw);
  if (!range)
    faults.push(`VIRGA_ENGINE_ACCOUNTS must be two numbers from 1000 on, such as 70000-99999, not "${raw}"`);
  return range;
}

function proxies(raw: string | undefined, faults: string[]): IpRanges | undefined {
  if (raw === undefined) return undefined;
  try {
    return new IpRanges(raw.split(',').map((each) => each.trim()));
  } catch (error) {
    faults.push(`VIRGA_TRUSTED_PROXIES: ${(error as Error).message}`);
    return undefined;
  }
}

function tlsFiles(
  certificate: string | undefined,
  key: string | undefined,
  faults: string[],
  cwd: string,
): TlsFiles | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    faults.push('VIRGA_TLS_CERT and VIRGA_TLS_KEY belong together; set both');
    return undefined;
  }
  const files = { certificate: path.resolve(cwd, certificate), key: path.resolve(cwd, key) };
  try {
    readKeyPair(files);
  } catch (error) {
    faults.push(`VIRGA_TLS_CERT and VIRGA_TLS_KEY cannot be used: ${messageOf(error)}`);
  }
  return files;
}

/** The setting that was meant, as far as one can guess. */
function suggestion(name: string): string {
  const bare = name.slice('VIRGA_'.length);
  if (WITHOUT_PREFIX.includes(bare)) return `; did you mean ${bare}?`;
  const near = closest(name, [...KNOWN]);
  return distance(name, near) <= MAX_TYPOS ? `; did you mean ${near}?` : '';
}

const MAX_TYPOS = 4;
/** Settings that other programs know by the same name. */
const WITHOUT_PREFIX = ['HOST', 'PORT', 'DATABASE_URL', 'SMTP_URL', 'LOG_LEVEL'];

/** PostgreSQL's own clients try several hosts in turn; the driver does not. */
const SEVERAL_HOSTS = /^\w+:\/\/[^/?]*,[^@/?]*(?:[/?]|$)|[?&]host=[^&]*(?:,|%2C)/i;

function oneHost(databaseUrl: string | undefined, faults: string[]): string | undefined {
  if (databaseUrl !== undefined && SEVERAL_HOSTS.test(databaseUrl))
    faults.push(
      'DATABASE_URL must name one host: let a proxy before several lead to the primary (docs/scaling.md)',
    );
  return databaseUrl;
}

function publicUrl(raw: string | undefined, faults: string[]): string | undefined {
  const origin = originOf(raw);
  if (origin === undefined && raw !== undefined)
    faults.push('VIRGA_PUBLIC_URL must be where people reach the portal, such as https://cloud.example');
  return origin;
}

function imageMirror(raw: string | undefined, faults: string[]): string | undefined {
  const origin = originOf(raw);
  if (origin === undefined && raw !== undefined)
    faults.push('VIRGA_IMAGE_MIRROR must be the address of a registry, such as http://10.0.0.5:5000');
  return origin;
}

/** Undefined: there is nothing, or more or less than an origin. */
function originOf(raw: string | undefined): string | undefined {
  const url = raw !== undefined && URL.canParse(raw) ? new URL(raw) : undefined;
  const isOrigin =
    url &&
    /^https?:$/.test(url.protocol) &&
    url.pathname === '/' &&
    !url.search &&
    !url.hash &&
    !url.username;
  return isOrigin ? url.origin : undefined;
}

/** All settings of the server but those of OpenTelemetry, whose names are its own. */
export const SETTINGS: readonly string[] = [...new Set([...WITHOUT_PREFIX, ...KNOWN])].sort();

/** What the tests set for themselves begins with VIRGA_TEST_. A script that has started a server may have exported what
 *  that said of itself. */
const isKnown = (name: string) =>
  KNOWN.includes(name) ||
  name.startsWith('VIRGA_TEST_') ||
  [...FACTS, ...COMMAND_SETTINGS].some((known) => known === name);

function corsOrigins(raw: string | undefined, faults: string[]): Config['corsOrigins'] {
  if (raw === '*') return '*';
  const origins = raw === undefined ? [] : raw.split(',').map((item) => item.trim());
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    faults.push(`VIRGA_CORS_ORIGINS must be * or origins such as https://portal.example, not "${origin}"`);
  }
  return origins;
}

function masterKeys(raw: string | undefined, faults: string[]): readonly Buffer[] {
  if (raw === undefined) return [];
  const keys = raw.split(',').map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32)) {
    faults.push('VIRGA_MASTER_KEY must be 32 bytes in base64, or several such keys with commas between them');
  }
  return keys;
}

function networksOf(name: string, raw: string | undefined, faults: string[]): readonly AddressRange[] {
  const texts = (raw ?? '').split(',').map((text) => text.trim());
  const wrong = texts.filter((text) => text !== '' && !parseNetwork(text));
  if (wrong.length > 0)
    faults.push(`${name} must be networks with commas between them, not "${wrong.join(', ')}"`);
  return texts.flatMap((text) => parseNetwork(text) ?? []);
}
