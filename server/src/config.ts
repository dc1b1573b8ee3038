import { hostname } from 'node:os';
import path from 'node:path';
import { readVideoSettings, VIDEO_SETTING_NAMES, type VideoSettings } from './kernel/video-settings.ts';

/** The whole configuration, from the environment alone, read once. */
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
  /** Name of this machine among the nodes on one database. */
  readonly node: string;
  readonly regionsFile: string | undefined;
  /** Simulated durations are multiplied by this; 0 is instant. */
  readonly timeScale: number;
  readonly seed: string;
  /** Keys of 32 bytes, the one to encrypt under first; empty: the data directory keeps its own. */
  readonly masterKeys: readonly Buffer[];
  /** Requests per minute and token; 0: no limit. */
  readonly rateLimit: number;
  readonly video: VideoSettings;
}

/** A setting that cannot be used; its message is one line for the person who starts the program. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>;

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const ROLES = ['all', 'api', 'worker'] as const;
const KNOWN: readonly string[] = [
  ...VIDEO_SETTING_NAMES,
  'VIRGA_DATA_DIR',
  'VIRGA_API_KEY',
  'VIRGA_ROLE',
  'VIRGA_NODE',
  'VIRGA_REGIONS',
  'VIRGA_TIME_SCALE',
  'VIRGA_SEED',
  'VIRGA_MASTER_KEY',
  'VIRGA_MAIL_FROM',
  'VIRGA_RATE_LIMIT',
];

/** @param args what follows the program's name: `--role api` or `--role=api`
 *  @throws ConfigError naming every wrong setting, in one line */
export function readConfig(env: Environment, args: readonly string[] = [], cwd = process.cwd()): Config {
  const faults: string[] = [];
  const text = (name: string) => env[name]?.trim() || undefined;
  const number = (name: string, fallback: number, min: number, max: number, whole: boolean) => {
    const raw = text(name);
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
    // Not parsed any further: PostgreSQL knows forms (an empty host, several hosts) that URL does not.
    if (raw !== undefined && !protocols.some((protocol) => raw.startsWith(`${protocol}//`))) {
      faults.push(`${name} must be a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`);
    }
    return raw;
  };
  const unknown = Object.keys(env).filter((name) => name.startsWith('VIRGA_') && !isKnown(name));
  for (const name of unknown) faults.push(`${name} is not a setting`);
  const config: Config = {
    host: text('HOST') ?? '127.0.0.1',
    port: number('PORT', 8080, 0, 65_535, true),
    databaseUrl: url('DATABASE_URL', ['postgres:', 'postgresql:']),
    smtpUrl: url('SMTP_URL', ['smtp:', 'smtps:']),
    mailFrom: text('VIRGA_MAIL_FROM') ?? 'Virga <virga@localhost>',
    logLevel: choice('LOG_LEVEL', text('LOG_LEVEL'), LOG_LEVELS, 'info'),
    dataDir: path.resolve(cwd, text('VIRGA_DATA_DIR') ?? '.virga'),
    apiKey: text('VIRGA_API_KEY'),
    role: choice('VIRGA_ROLE or --role', roleArgument(args, faults) ?? text('VIRGA_ROLE'), ROLES, 'all'),
    node: text('VIRGA_NODE') ?? hostname(),
    regionsFile: text('VIRGA_REGIONS') && path.resolve(cwd, text('VIRGA_REGIONS') ?? ''),
    timeScale: number('VIRGA_TIME_SCALE', 0.05, 0, 1000, false),
    seed: text('VIRGA_SEED') ?? 'virga',
    masterKeys: masterKeys(text('VIRGA_MASTER_KEY'), faults),
    rateLimit: number('VIRGA_RATE_LIMIT', 60_000, 0, 1_000_000_000, true),
    video: readVideoSettings(env, faults, cwd),
  };
  if (config.apiKey !== undefined && !/^[\x21-\x7e]{8,255}$/.test(config.apiKey)) {
    faults.push('VIRGA_API_KEY must be 8 to 255 visible ASCII characters');
  }
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
  return config;
}

/** What the tests set for themselves begins with VIRGA_TEST_. */
const isKnown = (name: string) => KNOWN.includes(name) || name.startsWith('VIRGA_TEST_');

function masterKeys(raw: string | undefined, faults: string[]): readonly Buffer[] {
  if (raw === undefined) return [];
  const keys = raw.split(',').map((text) => Buffer.from(text.trim(), 'base64'));
  if (keys.some((key) => key.length !== 32)) {
    faults.push('VIRGA_MASTER_KEY must be 32 bytes in base64, or several such keys with commas between them');
  }
  return keys;
}

function roleArgument(args: readonly string[], faults: string[]): string | undefined {
  let role: string | undefined;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--role') role = args[++i] ?? '';
    else if (arg.startsWith('--role=')) role = arg.slice('--role='.length);
    else faults.push(`${arg} is not an option; there is only --role`);
  }
  return role;
}
