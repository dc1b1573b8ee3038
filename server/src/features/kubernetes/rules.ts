import type { Faults } from '../../kernel/faults.ts';
import { isUuid } from '../../kernel/ids.ts';
import { addressNumber, parseNetwork, rangesOverlap } from '../../kernel/ip.ts';
import { networkRule, UUID_RULE } from '../../kernel/rules.ts';
import { findFlavor, noFlavor } from '../flavors/index.ts';
import type { ClusterSettings, PoolRow } from './model.ts';
import type { CreateCluster, CreatePool, UpdateCluster, UpdatePool } from './schema-input.ts';
import { versionsOffered } from './versions.ts';

/** What schemas cannot say. Every check adds to one list of faults. */

const LABEL_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LABEL_PREFIX = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/;
const TAINT = /^([^:]*:)?(NoSchedule|PreferNoSchedule|NoExecute)$/;

function isLabelKey(key: string): boolean {
  const [name = '', prefix, ...more] = key.split('/').reverse();
  return more.length === 0 && LABEL_NAME.test(name) && (prefix === undefined || LABEL_PREFIX.test(prefix));
}

type Strings = Readonly<Record<string, string>>;

export function checkLabels(faults: Faults, at: string, labels: Strings, taints: Strings): void {
  for (const [key, value] of Object.entries(labels)) {
    const fine = isLabelKey(key) && LABEL_VALUE.test(value);
    if (!fine) faults.add(`${at}labels.${key}`, 'is not a valid label of Kubernetes');
  }
  for (const [key, taint] of Object.entries(taints)) {
    const value = taint.includes(':') ? taint.slice(0, taint.indexOf(':')) : '';
    const fine = isLabelKey(key) && TAINT.test(taint) && LABEL_VALUE.test(value);
    if (!fine)
      faults.add(`${at}taints.${key}`, 'must be value:Effect with NoSchedule, PreferNoSchedule or NoExecute');
  }
}

/** @param at prefix of field names, such as `pools.0.` */
export function checkPool(faults: Faults, at: string, pool: Partial<CreatePool>): void {
  const { flavor_id: flavor, min_node_count: min, max_node_count: max } = pool;
  const found = flavor === undefined ? undefined : findFlavor(flavor);
  if (flavor !== undefined && !found) faults.add(`${at}flavor_id`, noFlavor());
  if (found?.osType === 'windows')
    faults.add(`${at}flavor_id`, 'must not be one for Windows: nodes run Linux');
  checkLabels(faults, at, pool.labels ?? {}, pool.taints ?? {});
  if (max != null && min !== undefined && max < min)
    faults.add(`${at}max_node_count`, 'must not be less than min_node_count');
}

const COUNTS = ['min_node_count', 'max_node_count', 'node_count'] as const;

/** What is wrong with a change of a pool by itself, whatever the pool is. */
export function checkPoolChange(change: UpdatePool, faults: Faults): void {
  for (const field of COUNTS) {
    const value = change[field] ?? null;
    if (value !== null && (value < 1 || value > MAX_NODES))
      faults.add(field, `must be from 1 to ${MAX_NODES}`);
  }
  checkLabels(faults, '', change.labels ?? {}, change.taints ?? {});
}

export function checkCluster(faults: Faults, input: CreateCluster, settings: ClusterSettings): void {
  checkNamed(faults, input);
  checkRanges(faults, input, settings);
  checkSettings(faults, settings);
}

/** What a new cluster names, and its pools. */
export function checkNamed(faults: Faults, input: Partial<CreateCluster>): void {
  if (input.version !== undefined && !versionsOffered().includes(input.version))
    faults.add('version', `must be one of the versions that can be created: ${versionsOffered().join(', ')}`);
  const pools = input.pools ?? [];
  pools.forEach((pool, i) => {
    checkPool(faults, `pools.${i}.`, pool);
    const first = pools.findIndex(({ name }) => name === pool.name);
    if (first < i) faults.add(`pools.${i}.name`, `is also the name of pools.${first}`);
  });
  for (const field of ['fixed_network', 'fixed_subnet'] as const) {
    if (input[field] && !isUuid(input[field])) faults.add(field, UUID_RULE);
  }
  if (input.fixed_subnet && !input.fixed_network)
    faults.add('fixed_network', 'is required with fixed_subnet');
  checkCni(faults, input.cni);
}

export function checkCni(faults: Faults, cni: UpdateCluster['cni']): void {
  if (cni?.cilium && (cni.provider ?? 'calico') !== 'cilium')
    faults.add('cni.cilium', 'is for the provider cilium');
}

/** What must hold after a creation and after every change. */
export function checkSettings(faults: Faults, settings: ClusterSettings): void {
  checkMasks(faults, settings);
  checkOidc(faults, settings.oidc);
}

/** What is wrong with a change of a cluster by itself, whatever the cluster is. */
export function checkClusterChange({ cni, authentication }: UpdateCluster, faults: Faults): void {
  if (cni?.provider) checkCni(faults, cni);
  checkIssuer(faults, authentication?.oidc?.issuer_url ?? null);
}

function checkIssuer(faults: Faults, issuer: string | null): void {
  if (issuer !== null && !(URL.canParse(issuer) && issuer.startsWith('https://')))
    faults.add('authentication.oidc.issuer_url', 'must be a URL that begins with https://');
}

function checkOidc(faults: Faults, oidc: ClusterSettings['oidc'] | undefined): void {
  if (!oidc) return;
  const issuer = oidc.issuer_url ?? null;
  checkIssuer(faults, issuer);
  if (issuer !== null && !oidc.client_id)
    faults.add('authentication.oidc.client_id', 'is required with issuer_url');
  if (issuer === null && oidc.client_id)
    faults.add('authentication.oidc.issuer_url', 'is required with client_id');
}

/** Every node gets a part of the pods' range: smaller than the range, and with room for a few pods. */
function checkMasks(faults: Faults, settings: ClusterSettings): void {
  const { cilium } = settings.cni;
  if (!cilium) return;
  const check = (field: keyof typeof LONGEST_MASK, pool: 'pods_ip_pool' | 'pods_ipv6_pool') => {
    const text = settings[pool];
    const range = text === null ? undefined : parseNetwork(text);
    const size = cilium[field];
    if (!range || size === undefined) return;
    const [least, most] = [range.bits + 1, LONGEST_MASK[field]];
    if (least > most)
      faults.add(pool, `must be larger than a /${most}, so that every node can get a part of it`);
    else if (size < least || size > most)
      faults.add(`cni.cilium.${field}`, `must be from ${least} to ${most}, since pods are in ${text}`);
  };
  check('mask_size', 'pods_ip_pool');
  check('mask_size_v6', 'pods_ipv6_pool');
}

const LONGEST_MASK = { mask_size: 28, mask_size_v6: 124 } as const;

function checkRanges(faults: Faults, input: CreateCluster, settings: ClusterSettings): void {
  for (const field of ['pods_ipv6_pool', 'services_ipv6_pool'] as const) {
    if (!settings.is_ipv6 && input[field]) faults.add(field, 'is for clusters with is_ipv6');
  }
  checkPair(faults, 'ipv4', ['pods_ip_pool', 'services_ip_pool'], settings);
  checkPair(faults, 'ipv6', ['pods_ipv6_pool', 'services_ipv6_pool'], settings);
}

const IP_VERSIONS = { ipv4: 4, ipv6: 6 } as const;

const EXAMPLES = {
  ipv4: 'IPv4 network such as 172.16.0.0/18',
  ipv6: 'IPv6 network such as fd00:1::/64',
} as const;

type RangeField = 'pods_ip_pool' | 'services_ip_pool' | 'pods_ipv6_pool' | 'services_ipv6_pool';

function checkPair(
  faults: Faults,
  kind: 'ipv4' | 'ipv6',
  fields: readonly [RangeField, RangeField],
  settings: ClusterSettings,
): void {
  const ranges = fields.map((field) => {
    const text = settings[field];
    if (text === null) return undefined;
    const range = parseNetwork(text);
    if (range?.version !== IP_VERSIONS[kind]) {
      faults.add(field, `must be an ${EXAMPLES[kind]}`);
      return undefined;
    }
    if (addressNumber(text.split('/')[0] ?? '')?.value !== range.first) faults.add(field, networkRule(text));
    return range;
  });
  const [pods, services] = ranges;
  if (pods && services && rangesOverlap(pods, services))
    faults.add(fields[1], `must not overlap ${fields[0]}`);
}

export const MAX_NODES = 200;

/** The most nodes that a pool may have. */
export const upperBound = (pool: Pick<PoolRow, 'max_node_count'>) => pool.max_node_count ?? MAX_NODES;
