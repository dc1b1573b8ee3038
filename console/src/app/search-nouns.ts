import { idOf, type Named, nameOf } from '../api/named.ts';

/** A resource that a search has found. */
export interface Found {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  /** Its page below its place: `load-balancers`, and its id. */
  readonly page: readonly string[];
}

interface Noun {
  readonly kind: string;
  readonly path: string;
  /** The folder of its pages. */
  readonly page: string;
  /** What names its own page; those without one are shown in their list. */
  readonly own?: (item: Named) => string;
  /** The list comes as a whole, without pages. */
  readonly whole?: boolean;
  /** How many of it the API gives at most. */
  readonly pageSize?: number;
  /** The parameter that asks for a whole name. */
  readonly byName?: 'name';
  /** The parameter that asks for a part of a name. */
  readonly byPart?: 'name' | 'name_part';
}

const numbered = ({ id }: Named) => String(id);

/** Every noun that has pages. */
const NOUNS: readonly Noun[] = [
  {
    kind: 'Load balancer',
    path: '/cloud/v1/loadbalancers/{project_id}/{region_id}',
    page: 'load-balancers',
    own: idOf,
    byName: 'name',
  },
  {
    kind: 'Instance',
    path: '/cloud/v1/instances/{project_id}/{region_id}',
    page: 'instances',
    own: idOf,
    byPart: 'name',
  },
  {
    kind: 'Volume',
    path: '/cloud/v1/volumes/{project_id}/{region_id}',
    page: 'volumes',
    own: idOf,
    byPart: 'name_part',
  },
  { kind: 'Snapshot', path: '/cloud/v1/snapshots/{project_id}/{region_id}', page: 'snapshots' },
  {
    kind: 'Lifecycle policy',
    path: '/cloud/v1/lifecycle_policy/{project_id}/{region_id}',
    page: 'lifecycle-policies',
  },
  {
    kind: 'Network',
    path: '/cloud/v1/networks/{project_id}/{region_id}',
    page: 'networks',
    own: idOf,
    byName: 'name',
  },
  {
    kind: 'Router',
    path: '/cloud/v1/routers/{project_id}/{region_id}',
    page: 'routers',
    own: idOf,
    byName: 'name',
  },
  {
    kind: 'Security group',
    path: '/cloud/v1/securitygroups/{project_id}/{region_id}',
    page: 'security-groups',
    own: idOf,
    byName: 'name',
  },
  { kind: 'Floating IP', path: '/cloud/v1/floatingips/{project_id}/{region_id}', page: 'floating-ips' },
  {
    kind: 'Reserved fixed IP',
    path: '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}',
    page: 'reserved-ips',
  },
  { kind: 'Server group', path: '/cloud/v1/servergroups/{project_id}/{region_id}', page: 'server-groups' },
  { kind: 'Certificate', path: '/cloud/v1/secrets/{project_id}/{region_id}', page: 'secrets' },
  { kind: 'Image', path: '/cloud/v1/images/{project_id}/{region_id}', page: 'images', byName: 'name' },
  { kind: 'Port', path: '/cloud/v1/ports/{project_id}/{region_id}', page: 'ports' },
  {
    kind: 'Kubernetes cluster',
    path: '/cloud/v2/k8s/clusters/{project_id}/{region_id}',
    page: 'kubernetes',
    own: nameOf,
    whole: true,
  },
  {
    kind: 'PostgreSQL cluster',
    path: '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}',
    page: 'databases',
    own: nameOf,
    byPart: 'name',
  },
  { kind: 'SSH key', path: '/cloud/v1/ssh_keys/{project_id}', page: 'ssh-keys', byName: 'name' },
  { kind: 'Inference secret', path: '/cloud/v3/inference/{project_id}/secrets', page: 'inference-secrets' },
  {
    kind: 'Registry credentials',
    path: '/cloud/v3/inference/{project_id}/registry_credentials',
    page: 'registry-credentials',
  },
  {
    kind: 'Response pages',
    path: '/waap/v1/custom-page-sets',
    page: 'response-pages',
    own: numbered,
    pageSize: 100,
    byName: 'name',
  },
  { kind: 'Storage', path: '/storage/v4/object_storages', page: 'storages', own: numbered, byName: 'name' },
];

/** Reads what a path of the API answers in the place.
 *  @returns undefined for what the region does not have
 *  @throws when it was not answered, and may be there */
export type Read = (path: string, query: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface Page {
  readonly count?: number;
  readonly results?: readonly Named[];
}

export interface Search {
  readonly found: readonly Found[];
  /** Whether some of it could not be read. */
  readonly isPartial: boolean;
  /** Of what there is so much that parts of names were looked for among the first page only; some can be asked for by
   *  their whole name, all by their id. */
  readonly cut: readonly { readonly kind: string; readonly hasNames: boolean }[];
}

export const NO_SEARCH: Search = { found: [], isPartial: false, cut: [] };

const SHOWN = 12;
const NUMBER = /^\d{1,15}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Looks through every noun for resources with a text in their name or id. Those that have it as the whole of either
 *  come first. */
export async function searchNouns(text: string, read: Read): Promise<Search> {
  const answers = await Promise.allSettled(NOUNS.map((noun) => searchNoun(noun, text, read)));
  const done = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const found = done.flatMap(({ noun, items }) => items.map((item) => foundAs(noun, item)));
  const isWhole = ({ name, id }: Found) => [name, id].some((one) => one.toLowerCase() === text.toLowerCase());
  return {
    found: [...found.filter(isWhole), ...found.filter((one) => !isWhole(one))].slice(0, SHOWN),
    isPartial: done.length < answers.length,
    cut: done.flatMap(({ noun: { kind, byName }, isCut }) =>
      isCut ? [{ kind, hasNames: byName !== undefined }] : [],
    ),
  };
}

const foundAs = (noun: Noun, item: Named): Found => ({
  id: idOf(item),
  name: nameOf(item),
  kind: noun.kind,
  page: [noun.page, ...(noun.own ? [noun.own(item)] : [])],
});

const pageOf = ({ pageSize = 1000 }: Noun) => pageSize;

async function searchNoun(noun: Noun, text: string, read: Read) {
  const page = (await read(noun.path, noun.whole ? {} : { limit: pageOf(noun) })) as Page | undefined;
  const { results = [], count = 0 } = page ?? {};
  const desired = text.toLowerCase();
  const inPage = results.filter((item) =>
    `${nameOf(item)} ${item.name ?? ''} ${idOf(item)}`.toLowerCase().includes(desired),
  );
  const isLong = !noun.whole && count > results.length;
  const others = isLong ? await searchBeyond(noun, text, read) : [];
  const items = [...new Map([...inPage, ...others].map((item) => [idOf(item), item])).values()];
  return { noun, items, isCut: isLong && !noun.byPart };
}

/** Those of a long list whose whole name or id is the text; the API finds parts of names for some nouns. */
async function searchBeyond(noun: Noun, text: string, read: Read): Promise<readonly Named[]> {
  const byName = noun.byPart ?? noun.byName;
  const isId = noun.own === numbered ? NUMBER : UUID;
  const [named, own] = await Promise.all([
    byName
      ? (read(noun.path, { limit: pageOf(noun), [byName]: text }) as Promise<Page | undefined>)
      : undefined,
    isId.test(text) ? (read(`${noun.path}/${text}`, {}) as Promise<Named | undefined>) : undefined,
  ]);
  return [...(named?.results ?? []), ...(own && idOf(own) === text.toLowerCase() ? [own] : [])];
}
