import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { ConfigError } from './config.ts';
import { catalogue } from './features/catalogue/index.ts';
import { type NewRegion, REGION_STATES } from './features/regions/index.ts';
import {
  CONDITION_KINDS,
  checkRule,
  FAULT_KINDS,
  FaultRule,
  type FileFault,
  kindFault,
  NODE_KINDS,
} from './features/simulation/index.ts';
import { Invalid } from './kernel/errors.ts';
import { PROVIDER_NAMES } from './known-providers.ts';
import { Key, Nullable, StringEnum } from './platform/http/schemas.ts';
import { Validator } from './platform/http/validation.ts';
import { type LogCollector, parseLogCollector } from './providers/local/index.ts';

/** A rate, or rules that count attempts. */
const FaultsOfKind = Type.Union([
  Type.Number({ minimum: 0, maximum: 1 }),
  FaultRule,
  Type.Array(FaultRule, { minItems: 1, maxItems: 20 }),
]);

const RegionEntry = Type.Object(
  {
    id: Key({ minimum: 1 }),
    name: Type.String({ minLength: 1, maxLength: 100 }),
    provider: StringEnum(PROVIDER_NAMES),
    state: Type.Optional(StringEnum(REGION_STATES)),
    access_level: Type.Optional(StringEnum(['core', 'edge'])),
    zone: Type.Optional(Nullable(StringEnum(['AMERICAS', 'APAC', 'EMEA', 'RUSSIA_AND_CIS']))),
    country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
    coordinates: Type.Optional(Nullable(Type.Object({ latitude: Type.String(), longitude: Type.String() }))),
    volume_types: Type.Optional(Type.Array(Type.String())),
    node: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    log_collector: Type.Optional(Type.String()),
    faults: Type.Optional(Type.Record(Type.String(), FaultsOfKind)),
  },
  { additionalProperties: false },
);
const RegionsFile = Type.Object(
  { regions: Type.Array(RegionEntry, { minItems: 1 }) },
  { additionalProperties: false },
);

/** Regions of a first run without a file: one that carries traffic on this machine, one that pretends. */
export const defaultRegions = (): readonly NewRegion[] => [
  newRegion({ id: 1, name: 'Local', provider: 'local', zone: 'EMEA', volume_types: [] }),
  newRegion({
    id: 2,
    name: 'Simulated',
    provider: 'simulated',
    zone: 'EMEA',
    volume_types: catalogue().volume_types,
  }),
];

/** Reads the file that VIRGA_REGIONS names: `{"regions": [{"id": 1, "name": "Local", "provider": "local"}]}`.
 *  @throws ConfigError naming every faulty field */
export function readRegionsFile(file: string): readonly NewRegion[] {
  const content = parse(file);
  try {
    const { regions } = new Validator().check(RegionsFile, content, 'body') as Static<typeof RegionsFile>;
    const ids = new Set(regions.map(({ id }) => id));
    const slugs = new Set(regions.map(({ name }) => slugOf(name)));
    if (ids.size < regions.length)
      throw new ConfigError(`VIRGA_REGIONS: two regions in ${file} have the same id`);
    if (slugs.size < regions.length)
      throw new ConfigError(`VIRGA_REGIONS: two regions in ${file} have the same name`);
    refuseCollectors(regions, file);
    refuseFaults(regions, file);
    return regions.map(newRegion);
  } catch (error) {
    if (error instanceof Invalid)
      throw new ConfigError(`VIRGA_REGIONS: ${file} is not right: ${error.message}`);
    throw error;
  }
}

/** The log collectors of the regions that have one. */
export function collectorsOf(
  regions: readonly Pick<NewRegion, 'id' | 'settings'>[],
): (regionId: number) => LogCollector | undefined {
  const collectors = new Map(
    regions.map(({ id, settings }) => [id, parseLogCollector(settings.log_collector ?? '') ?? undefined]),
  );
  return (regionId) => collectors.get(regionId);
}

function refuseFaults(regions: readonly Static<typeof RegionEntry>[], file: string): void {
  for (const { name, faults = {} } of regions) {
    for (const [kind, value] of Object.entries(faults)) {
      const kinds = [...FAULT_KINDS, ...NODE_KINDS, ...(typeof value === 'number' ? CONDITION_KINDS : [])];
      const fault = kindFault(kind, kinds);
      if (fault) throw new ConfigError(`VIRGA_REGIONS: faults of ${name} in ${file}: ${fault}`);
    }
    for (const { rule } of rulesOf(faults)) checkRule(rule);
  }
}

/** The faults of a region that count attempts. */
function rulesOf(faults: Readonly<Record<string, Static<typeof FaultsOfKind>>>): FileFault[] {
  return Object.entries(faults).flatMap(([kind, value]) =>
    typeof value === 'number' ? [] : [value].flat().map((rule) => ({ kind, rule })),
  );
}

function refuseCollectors(regions: readonly Static<typeof RegionEntry>[], file: string): void {
  const faults = regions.flatMap(({ name, log_collector: text }) =>
    text === undefined || parseLogCollector(text) ? [] : [`that of ${name} is "${text}"`],
  );
  if (faults.length === 0) return;
  throw new ConfigError(
    `VIRGA_REGIONS: a log_collector in ${file} must be syslog+tcp://host:port or syslog+udp://host:port: ${faults.join(', ')}`,
  );
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`VIRGA_REGIONS: ${file} cannot be read as JSON: ${(error as Error).message}`);
  }
}

function newRegion({
  id,
  name,
  provider,
  state,
  faults,
  ...settings
}: Static<typeof RegionEntry>): NewRegion {
  const rates = Object.entries(faults ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  const all = faults
    ? { ...settings, faults: Object.fromEntries(rates), fault_rules: rulesOf(faults) }
    : settings;
  return { id, display_name: name, slug: slugOf(name), state: state ?? 'ACTIVE', provider, settings: all };
}

function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
