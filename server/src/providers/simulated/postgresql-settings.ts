import type { ConfLine } from '../../features/managed-postgresql/port.ts';
import { COMMON, OF_SOME, type SettingKind } from './postgresql-setting-names.ts';

/** What a server says of a configuration, as far as that can be said without one: which settings there are, and of
 *  which form their values are. */

/** The newest first. */
export const VERSIONS: readonly string[] = Object.keys(OF_SOME).reverse();

const FORMS: Readonly<Record<SettingKind, RegExp>> = {
  bool: /^(on|of|off|t|tr|tru|true|f|fa|fal|fals|false|y|ye|yes|n|no|0|1)$/i,
  integer: /^[+-]?(0x[0-9a-f]+|\d+(\.\d*)?)\s*(B|kB|MB|GB|TB|us|ms|s|min|h|d)?$/i,
  real: /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*(B|kB|MB|GB|TB|us|ms|s|min|h|d)?$/i,
  enum: /^\S+$/,
  string: /^/,
};
const WORDS: Readonly<Record<SettingKind, string>> = {
  bool: 'on or off',
  integer: 'a number, which may have a unit',
  real: 'a number, which may have a unit',
  enum: 'one of its words',
  string: 'a text',
};

const kinds = new Map<string, ReadonlyMap<string, SettingKind>>();

function kindsOf(version: string): ReadonlyMap<string, SettingKind> {
  const known = kinds.get(version);
  if (known) return known;
  const common = Object.entries(COMMON).flatMap(([kind, names]) =>
    names.map((name) => [name, kind] as const),
  );
  const special = (OF_SOME[version] ?? []).map((entry) => entry.split(':') as [string, string]);
  // Servers compare names without regard to case.
  const entries = [...common, ...special].map(
    ([name, kind]) => [name.toLowerCase(), kind as SettingKind] as const,
  );
  const made = new Map(entries);
  kinds.set(version, made);
  return made;
}

/** The faults of a configuration, each with its line. */
export function settingFaults(version: string, settings: readonly ConfLine[]): string[] {
  const known = kindsOf(version);
  return settings.flatMap((setting) => {
    const fault = faultOf(setting, known);
    return fault === undefined ? [] : [`line ${setting.line}: ${fault}`];
  });
}

function faultOf({ name, value }: ConfLine, known: ReadonlyMap<string, SettingKind>): string | undefined {
  // An extension's settings are known when it is loaded.
  if (name.includes('.')) return undefined;
  const kind = known.get(name);
  if (kind === undefined) return `there is no setting ${name} in this version`;
  return FORMS[kind].test(value) ? undefined : `${name} must be ${WORDS[kind]}`;
}
