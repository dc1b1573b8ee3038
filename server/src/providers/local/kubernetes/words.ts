import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { DesiredControlPlane, DesiredNode } from '../../../features/kubernetes/port.ts';
import { accountOf } from '../../../kernel/engine-accounts.ts';
import { taintOf } from './marks.ts';
import type { Network } from './network.ts';
import type { NodePaths, Paths } from './paths.ts';

/** What the programs of a cluster are started with. */

/** A user namespace has this many accounts, and those of all nodes of a cluster are the same. */
export const ACCOUNTS_OF_NODE = 65_536;
const FIRST_ACCOUNT = 0x4000_0000;
/** Accounts of homes are fewer than this, so that each has a range of its own. */
const HOMES = 0x8000;

const accountOfHome = (home: string): number => accountOf(home)?.uid ?? 0;
export const firstAccountOf = (home: string): number =>
  FIRST_ACCOUNT + (accountOfHome(home) % HOMES) * ACCOUNTS_OF_NODE;

/** An address of the loopback network that follows from an id, so that it needs no bookkeeping.
 *  @param first the second number of the lowest one
 *  @param count how many second numbers there are */
export function addressOf(id: string, first: number, count: number): string {
  const digest = createHash('sha256').update(id).digest();
  const [a = 0, b = 0, c = 0] = digest;
  return `127.${first + (a % count)}.${b}.${1 + (c % 254)}`;
}

const pairs = (texts: Readonly<Record<string, string>>): string[] =>
  Object.entries(texts).map(([key, value]) => `${key}=${value}`);

function taintWord([key, text]: readonly [key: string, text: string]): string {
  const { value, effect } = taintOf(key, text);
  return `${key}=${value}:${effect}`;
}

/** @param network null: its nodes only pretend */
export function controlPlaneWords(
  paths: Paths,
  { apiAddress, settings }: DesiredControlPlane,
  network: Network | null,
): readonly string[] {
  const { oidc, pods_ip_pool: pods, services_ip_pool: services } = settings;
  const flags: readonly (readonly [name: string, value: string | null | undefined])[] = [
    ['oidc-issuer-url', oidc?.issuer_url],
    ['oidc-client-id', oidc?.client_id],
    ['oidc-username-claim', oidc?.username_claim],
    ['oidc-username-prefix', oidc?.username_prefix],
    ['oidc-groups-claim', oidc?.groups_claim],
    ['oidc-groups-prefix', oidc?.groups_prefix],
    ['oidc-signing-algs', oidc?.signing_algs?.join(',')],
  ];
  const claims = Object.entries(oidc?.required_claims ?? {}).map(
    ([name, value]) => `--oidc-required-claim=${name}=${value}`,
  );
  return [
    'control-plane',
    `--dir=${paths.data}`,
    `--authority=${paths.home}`,
    `--socket=${paths.socket}`,
    `--address=${apiAddress}`,
    `--pods=${pods}`,
    `--services=${services}`,
    ...(network === null
      ? []
      : [
          `--network=${paths.network}`,
          `--inside=${network.inside}`,
          `--account=${accountOfHome(paths.home)}`,
        ]),
    '--',
    ...flags.flatMap(([name, value]) => (value ? [`--${name}=${value}`] : [])),
    ...claims,
  ];
}

/** What a node has, whether its pods run or not. */
const nodeWords = (paths: Paths, node: NodePaths, desired: DesiredNode): readonly string[] => [
  `--dir=${node.data}`,
  `--authority=${paths.home}`,
  `--name=${desired.name}`,
  `--id=${desired.id}`,
  `--cores=${desired.vcpus}`,
  `--memory=${desired.memoryMib}`,
  `--labels=${pairs(desired.labels).join(',')}`,
  `--taints=${Object.entries(desired.taints).map(taintWord).join(',')}`,
];

/** A node whose pods pretend. @param apiAddress where its API server listens */
export const hollowWords = (
  paths: Paths,
  node: NodePaths,
  desired: DesiredNode,
  apiAddress: string,
): readonly string[] => [
  'node',
  ...nodeWords(paths, node, desired),
  `--root=${node.root}`,
  `--server=${apiAddress}`,
  // 127.97.0.0 to 127.111.255.255: each node has port 10250 for itself.
  `--address=${addressOf(desired.id, 97, 15)}`,
];

/** A node that runs pods. @param address in the network of its cluster
 *  @param images a folder with archives of images, for all nodes
 *  @param names the program that answers for names of services
 *  @param mirror the origin of a registry that is asked first for images */
export const realNodeWords = (
  paths: Paths,
  node: NodePaths,
  desired: DesiredNode,
  more: {
    readonly address: string;
    readonly network: Network;
    readonly images: string | undefined;
    readonly names: string | undefined;
    readonly mirror: string | undefined;
  },
): readonly string[] => [
  'machine',
  ...nodeWords(paths, node, desired),
  `--network=${paths.network}`,
  `--address=${more.address}/24`,
  `--server=${more.network.inside}`,
  `--pods=${more.network.pods}`,
  `--account=${accountOfHome(paths.home)}`,
  `--first-account=${firstAccountOf(paths.home)}`,
  `--volumes=${paths.volumes}`,
  ...(more.images === undefined ? [] : [`--images=${more.images}`]),
  ...(more.names === undefined ? [] : [`--names=${more.names}`]),
  ...(more.mirror === undefined ? [] : [`--mirror=${more.mirror}`]),
];

export const namesFile = ({ folder }: NodePaths): string => join(folder, 'name.json');
