import { type Static, Type } from '@sinclair/typebox';
import { catalogue, VOLUME_TYPES } from '../features/catalogue/index.ts';
import { findFlavor } from '../features/flavors/index.ts';
import { type NewRegion, REGION_STATES } from '../features/regions/index.ts';
import {
  CONDITION_KINDS,
  checkRule,
  FAULT_KINDS,
  FaultRule,
  type FileFault,
  kindFault,
  NODE_KINDS,
} from '../features/simulation/index.ts';
import { EXTERNAL_SERVICES } from '../kernel/capacity.ts';
import { Faults } from '../kernel/faults.ts';
import { isIpAddress, isIpNetwork, parseRange, rangesOverlap } from '../kernel/ip.ts';
import { worded } from '../platform/http/patterns.ts';
import { IpNetwork, Key, Nullable, StringEnum } from '../platform/http/schemas.ts';
import { Validator } from '../platform/http/validation.ts';
import { type LogCollector, parseLogCollector } from '../providers/local/index.ts';
import { entriesOf, type Fields, isObject, readJsonFile } from '../startup/json-file.ts';
import { PROVIDER_NAMES } from './known-providers.ts';

const INTERFACE = worded('^[^\\s/:]{1,15}$', 'must be the name of an interface, such as eth0');

/** A rate, or rules that count attempts. */
const FaultsOfKind = Type.Union([
  Type.Number({ minimum: 0, maximum: 1 }),
  FaultRule,
  Type.Array(FaultRule, { minItems: 1, maxItems: 20 }),
]);

const Subnet = Type.Object({ subnet_id: Type.String(), cidr: IpNetwork() }, { additionalProperties: false });

/** An image of a cloud that every project sees. */
const CloudImage = Type.Object(
  {
    image_id: Type.String(),
    name: Type.String({ minLength: 1, maxLength: 255 }),
    distro: Type.String({ minLength: 1 }),
    version: Type.String(),
    os_type: Type.Optional(StringEnum(['linux', 'windows'])),
    min_disk: Type.Optional(Type.Integer({ minimum: 1 })),
    min_ram: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
);

/** How a cloud of OpenStack is reached. */
const CloudSettings = Type.Object(
  {
    auth_url: Type.String({ pattern: '^https?://' }),
    region_name: Type.String({ minLength: 1 }),
    interface: Type.Optional(StringEnum(['public', 'internal'])),
    credential: Type.Object(
      { id: Type.String(), sealed: Type.String(), key_id: Type.String() },
      { additionalProperties: false },
    ),
    vip: Subnet,
    external: Type.Optional(
      Type.Object({ network_id: Type.String(), cidr: IpNetwork() }, { additionalProperties: false }),
    ),
    drift: Type.Optional(StringEnum(['repair', 'keep'])),
    load_balancers: Type.Optional(
      Type.Object(
        {
          provider: Type.Optional(Type.String({ minLength: 1 })),
          flavors: Type.Optional(Type.Record(Type.String(), Type.String())),
          key_manager: Type.Optional(Type.Boolean()),
          member_subnets: Type.Optional(Type.Array(Subnet)),
        },
        { additionalProperties: false },
      ),
    ),
    instances: Type.Optional(
      Type.Object({ flavors: Type.Record(Type.String(), Type.String()) }, { additionalProperties: false }),
    ),
    volumes: Type.Optional(
      Type.Object(
        {
          types: Type.Record(Type.String(), Type.String()),
          images: Type.Optional(Type.Array(CloudImage, { maxItems: 1000 })),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

const AddressPool = Type.Object(
  {
    range: IpNetwork(),
    interface: Type.String({ pattern: INTERFACE }),
    exclude: Type.Optional(Type.Array(Type.String({ minLength: 2, maxLength: 50 }), { maxItems: 1000 })),
  },
  { additionalProperties: false },
);

const Threshold = Type.Object(
  { warn: Type.Number({ minimum: 0 }), stop: Type.Number({ minimum: 0 }) },
  { additionalProperties: false },
);

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
    capacity: Type.Optional(
      Type.Object(
        {
          disk: Type.Optional(Threshold),
          memory: Type.Optional(Threshold),
          addresses: Type.Optional(Threshold),
        },
        { additionalProperties: false },
      ),
    ),
    volume_types: Type.Optional(Type.Array(Type.String())),
    node: Type.Optional(Type.String({ minLength: 1, maxLength: 253 })),
    nodes: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
        minItems: 2,
        maxItems: 10,
        uniqueItems: true,
      }),
    ),
    addresses: Type.Optional(Type.Array(AddressPool, { minItems: 1, maxItems: 50 })),
    external_services: Type.Optional(Type.Array(StringEnum(EXTERNAL_SERVICES), { uniqueItems: true })),
    log_collector: Type.Optional(Type.String()),
    faults: Type.Optional(Type.Record(Type.String(), FaultsOfKind)),
    settings: Type.Optional(CloudSettings),
  },
  { additionalProperties: false },
);
const RegionsFile = Type.Object(
  { regions: Type.Array(RegionEntry, { minItems: 1 }) },
  { additionalProperties: false },
);

type RegionsFile = Static<typeof RegionsFile>;

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
  return readJsonFile('VIRGA_REGIONS', file, checkRegions).map(newRegion);
}

function checkRegions(content: unknown): readonly Static<typeof RegionEntry>[] {
  const faults = new Faults();
  const checked = faults.try(() => new Validator().check(RegionsFile, content, 'body') as RegionsFile);
  const ids = new Map<unknown, string>();
  const slugs = new Map<unknown, string>();
  const ranges = new Map<string, string>();
  for (const [prefix, entry] of entriesOf(content, 'regions')) {
    const {
      id,
      name,
      log_collector: collector,
      faults: kinds,
      addresses,
      external_services: services,
      node,
      nodes,
      capacity,
      provider,
      settings: cloud,
    } = entry;
    if (ids.has(id)) faults.add(`${prefix}.id`, `is the id of ${ids.get(id)} too`);
    else if (id !== undefined) ids.set(id, prefix);
    const slug = typeof name === 'string' ? slugOf(name) : undefined;
    if (slugs.has(slug)) faults.add(`${prefix}.name`, `is the name of ${slugs.get(slug)} too`);
    else if (slug !== undefined) slugs.set(slug, prefix);
    if (typeof collector === 'string' && !parseLogCollector(collector)) {
      faults.add(`${prefix}.log_collector`, 'must be syslog+tcp://host:port or syslog+udp://host:port');
    }
    if (provider === 'openstack' && !isObject(cloud))
      faults.add(`${prefix}.settings`, 'is missing: say how the cloud is reached');
    if (provider !== 'openstack' && cloud !== undefined)
      faults.add(`${prefix}.settings`, 'is for regions of the provider openstack');
    if (isObject(cloud)) checkOffer(cloud, `${prefix}.settings`, faults);
    if (isObject(capacity)) checkCapacity(capacity, `${prefix}.capacity`, provider, faults);
    if (Array.isArray(addresses)) checkAddresses({ addresses, prefix, provider, ranges }, faults);
    if (nodes !== undefined && node !== undefined)
      faults.add(`${prefix}.nodes`, 'cannot be beside node: that one is where it is');
    if (Array.isArray(services) && services.length > 0 && !hasIpv4(addresses))
      faults.add(`${prefix}.external_services`, 'needs a range of IPv4 in addresses');
    if (isObject(kinds)) checkKinds(kinds, `${prefix}.faults`, faults);
  }
  faults.refuse('body');
  return checked?.regions ?? [];
}

function checkCapacity(capacity: Fields, prefix: string, provider: unknown, faults: Faults): void {
  if (provider !== 'local')
    faults.add(prefix, 'is for local regions alone: others are on no machine of yours');
  for (const [resource, threshold] of Object.entries(capacity)) {
    const { warn, stop } = isObject(threshold) ? threshold : ({} as Fields);
    if (typeof warn === 'number' && typeof stop === 'number' && stop > warn)
      faults.add(`${prefix}.${resource}.stop`, 'must not be more than warn: both are what is free');
  }
}

interface Pools {
  readonly addresses: readonly unknown[];
  readonly prefix: string;
  readonly provider: unknown;
  /** Ranges of all regions, and where each stands. */
  readonly ranges: Map<string, string>;
}

function checkAddresses({ addresses, prefix, provider, ranges }: Pools, faults: Faults): void {
  if (provider !== 'local')
    faults.add(`${prefix}.addresses`, 'is for local regions alone: others have no interface');
  for (const [index, pool] of addresses.entries()) {
    const at = `${prefix}.addresses.${index}`;
    const { range: text, exclude } = isObject(pool) ? pool : ({} as Fields);
    const range = typeof text === 'string' ? parseRange(text) : undefined;
    if (typeof text !== 'string' || !range || !isIpNetwork(text)) continue;
    if (LOCAL_NETWORKS.some((local) => overlap(local, text)))
      faults.add(`${at}.range`, 'is of the loopback network, or of one machine: nobody else reaches it');
    const other = [...ranges.keys()].find((known) => overlap(known, text));
    if (other !== undefined) faults.add(`${at}.range`, `overlaps ${other} of ${ranges.get(other)}`);
    ranges.set(text, at);
    for (const [i, left] of (Array.isArray(exclude) ? exclude : []).entries()) {
      if (typeof left === 'string' && (isIpAddress(left) || isIpNetwork(left))) continue;
      faults.add(`${at}.exclude.${i}`, 'must be an address or a network');
    }
  }
}

const hasIpv4 = (addresses: unknown): boolean =>
  Array.isArray(addresses) &&
  addresses.some((pool) => isObject(pool) && parseRange(String(pool.range))?.version === 4);

const LOCAL_NETWORKS = ['127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '::1/128', 'fe80::/10', 'ff00::/8'];

function overlap(one: string, other: string): boolean {
  const [a, b] = [parseRange(one), parseRange(other)];
  return a !== undefined && b !== undefined && rangesOverlap(a, b);
}

function checkKinds(kinds: Fields, prefix: string, faults: Faults): void {
  for (const [kind, value] of Object.entries(kinds)) {
    const known = [...FAULT_KINDS, ...NODE_KINDS, ...(typeof value === 'number' ? CONDITION_KINDS : [])];
    const unknown = kindFault(kind, known);
    if (unknown) faults.add(prefix, unknown);
    const rules = Array.isArray(value)
      ? value.map((rule, index) => [`${prefix}.${kind}.${index}`, rule] as const)
      : [[`${prefix}.${kind}`, value] as const];
    for (const [at, rule] of rules) if (isObject(rule)) checkRuleAt(rule, at, faults);
  }
}

function checkRuleAt(rule: FaultRule, prefix: string, faults: Faults): void {
  const found = new Faults();
  found.try(() => checkRule(rule));
  for (const [field, messages] of Object.entries(found.toError().fields))
    for (const message of messages) faults.add(`${prefix}.${field}`, message);
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

/** The faults of a region that count attempts. */
function rulesOf(faults: Readonly<Record<string, Static<typeof FaultsOfKind>>>): FileFault[] {
  return Object.entries(faults).flatMap(([kind, value]) =>
    typeof value === 'number' ? [] : [value].flat().map((rule) => ({ kind, rule })),
  );
}

function newRegion({
  id,
  name,
  provider,
  state,
  faults,
  settings: cloud,
  ...others
}: Static<typeof RegionEntry>): NewRegion {
  const rates = Object.entries(faults ?? {}).filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number',
  );
  const offered = cloud?.volumes ? { volume_types: Object.keys(cloud.volumes.types) } : {};
  const settings = cloud ? { ...others, ...offered, openstack: cloud } : others;
  const all = faults
    ? { ...settings, faults: Object.fromEntries(rates), fault_rules: rulesOf(faults) }
    : settings;
  return { id, display_name: name, slug: slugOf(name), state: state ?? 'ACTIVE', provider, settings: all };
}

/** What a cloud offers is named by Virga's own names. */
function checkOffer(cloud: Fields, prefix: string, faults: Faults): void {
  const { instances, volumes } = cloud;
  if (instances !== undefined && volumes === undefined)
    faults.add(`${prefix}.volumes`, 'is missing: instances boot from volumes');
  const flavors = isObject(instances) && isObject(instances.flavors) ? Object.keys(instances.flavors) : [];
  const types = isObject(volumes) && isObject(volumes.types) ? Object.keys(volumes.types) : [];
  for (const id of flavors)
    if (!findFlavor(id)) faults.add(`${prefix}.instances.flavors.${id}`, 'is no flavor of the catalogue');
  for (const type of types)
    if (!VOLUME_TYPES.some((each) => each === type))
      faults.add(`${prefix}.volumes.types.${type}`, `must be one of: ${VOLUME_TYPES.join(', ')}`);
}

function slugOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}
