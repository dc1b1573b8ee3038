export interface Quota {
  readonly name: string;
  readonly limit: number;
  readonly usage: number;
}

/** The quotas in an answer of the API, the fullest first. */
export function quotasOf(flat: object): readonly Quota[] {
  const values = flat as Readonly<Record<string, number>>;
  return Object.keys(values)
    .filter((key) => key.endsWith('_limit'))
    .map((key) => key.slice(0, -'_limit'.length))
    .map((name) => ({ name, limit: values[`${name}_limit`] ?? 0, usage: values[`${name}_usage`] ?? 0 }))
    .sort(
      (a, b) =>
        b.usage / Math.max(1, b.limit) - a.usage / Math.max(1, a.limit) || a.name.localeCompare(b.name),
    );
}

/** The parts of quota names that are written otherwise by people. */
const WORDS: Readonly<Record<string, string>> = {
  vm: 'instances',
  cpu: 'CPUs',
  ram: 'memory in MiB',
  loadbalancer: 'load balancers',
  cluster: 'Kubernetes clusters',
  floating: 'floating IPs',
  keypair: 'SSH keys',
  volume_size: 'volume size in GiB',
  external_ip: 'external IPs',
  firewall: 'security groups',
  servergroup: 'server groups',
  dbaas_postgres_cluster: 'PostgreSQL clusters',
  volume_snapshots_size: 'volume snapshots in GiB',
};

/** A name as words; models and abbreviations are not written like words. */
const written = (name: string) =>
  name
    .split('_')
    .map((part) => (/^([cgi]pu|ram|[a-z]\d+s?)$/.test(part) ? part.toUpperCase() : part))
    .join(' ');

export const quotaName = (name: string): string => {
  const short = name.replace(/_count$/, '');
  const known = WORDS[short];
  if (known) return known;
  const words = written(short);
  return name === short || /s$/i.test(words) ? words : `${words}s`;
};

/** A name where it begins a line. */
export const quotaTitle = (name: string): string => {
  const words = quotaName(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

interface Limits {
  readonly global_limits?: object | undefined;
  readonly regional_limits?: readonly object[] | undefined;
}

/** `load balancers 20 in region 1`, of what is asked for. */
export function wishesOf({ global_limits, regional_limits }: Limits): string {
  const words = (limits: object, where: string) =>
    Object.entries(limits)
      .filter(([key, value]) => key.endsWith('_limit') && value !== null)
      .map(
        ([key, value]) =>
          `${quotaName(key.replace(/_limit$/, ''))} ${Number(value).toLocaleString()}${where}`,
      );
  return [
    ...words(global_limits ?? {}, ''),
    ...(regional_limits ?? []).flatMap((limits) =>
      words(limits, ` in region ${(limits as { region_id?: number }).region_id}`),
    ),
  ].join(', ');
}
