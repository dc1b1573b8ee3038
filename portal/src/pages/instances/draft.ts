import type { Schemas } from '../../api/client.ts';
import type { Topology } from '../../pictures/topology-layout.ts';
import { referTo, terraform } from '../../ui/terraform.ts';
import { tagsOf } from '../../ui/values.ts';

export interface DraftVolume {
  readonly key: number;
  readonly size: number | string;
}

export interface DraftInterface {
  readonly key: number;
  readonly type: 'external' | 'any_subnet' | 'subnet' | 'reserved_fixed_ip';
  /** Of what it connects to: a network, a subnet or a reserved port. */
  readonly target: string;
  readonly floating: boolean;
}

/** What the wizard has so far. */
export interface Draft {
  readonly name: string;
  readonly image: string;
  readonly flavor: string;
  readonly bootSize: number | string;
  readonly sshKey: string;
  readonly userData: string;
  readonly groups: readonly string[];
  readonly serverGroup: string;
  readonly tags: readonly string[];
  readonly volumes: readonly DraftVolume[];
  readonly interfaces: readonly DraftInterface[];
}

export const EMPTY: Draft = {
  name: '',
  image: '',
  flavor: '',
  bootSize: 20,
  sshKey: '',
  userData: '',
  groups: [],
  serverGroup: '',
  tags: [],
  volumes: [],
  interfaces: [{ key: 1, type: 'external', target: '', floating: false }],
};

type Interface = Schemas['CreateInstance']['interfaces'][number];

function interfaceOf(
  { type, target, floating }: DraftInterface,
  networkOf: (subnet: string) => string,
): Interface {
  const more = floating ? { floating_ip: { source: 'new' as const } } : {};
  switch (type) {
    case 'external':
      return { type };
    case 'any_subnet':
      return { type, network_id: target, ...more };
    case 'subnet':
      return { type, subnet_id: target, network_id: networkOf(target), ...more };
    default:
      return { type, port_id: target, ...more };
  }
}

const base64 = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)));

/** The body of the call that creates it. @param networkOf the network of a subnet */
export function bodyOf(
  draft: Draft,
  networkOf: (subnet: string) => string = () => '',
): Schemas['CreateInstance'] {
  const tags = tagsOf({ tags: draft.tags });
  return {
    name: draft.name,
    flavor: draft.flavor,
    volumes: [
      {
        source: 'image',
        image_id: draft.image,
        size: Number(draft.bootSize),
        boot_index: 0,
        delete_on_termination: true,
      },
      ...draft.volumes.map(({ size }, index) => ({
        source: 'new-volume' as const,
        name: `${draft.name || 'instance'}-data-${index + 1}`,
        size: Number(size),
      })),
    ],
    interfaces: draft.interfaces.map((one) => interfaceOf(one, networkOf)),
    ...(draft.sshKey ? { ssh_key_name: draft.sshKey } : {}),
    ...(draft.groups.length > 0 ? { security_groups: draft.groups.map((id) => ({ id })) } : {}),
    ...(draft.serverGroup ? { servergroup_id: draft.serverGroup } : {}),
    ...(draft.userData ? { user_data: base64(draft.userData) } : {}),
    ...(tags ? { tags } : {}),
  };
}

const WHERE = {
  external: 'External network',
  any_subnet: 'A network',
  subnet: 'A subnet',
  reserved_fixed_ip: 'A reserved fixed IP',
} as const;

/** The picture of what will be. @param nameOf what is connected to */
export function draftTopology(draft: Draft, nameOf: (target: string) => string | undefined): Topology {
  const status = 'NO_MONITOR';
  const volumes = [{ key: 0, size: draft.bootSize }, ...draft.volumes];
  const name = draft.name || 'instance';
  return {
    nodes: [
      ...draft.interfaces.map(({ key, type, target, floating }) => ({
        id: `interface ${key}`,
        column: 0,
        title: nameOf(target) ?? WHERE[type],
        detail: floating ? 'and a floating IP' : type === 'external' ? 'an address of its own' : 'inside',
        status,
      })),
      { id: 'instance', column: 1, title: name, detail: draft.flavor || 'no size yet', status },
      ...volumes.map(({ key, size }, index) => ({
        id: `volume ${key}`,
        column: 2,
        title: index === 0 ? 'Boots from' : `${name}-data-${index}`,
        detail: `${size || 0} GiB`,
        status,
      })),
    ],
    edges: [
      ...draft.interfaces.map(({ key }) => ({ from: `interface ${key}`, to: 'instance', status, share: 0 })),
      ...volumes.map(({ key }) => ({ from: 'instance', to: `volume ${key}`, status, share: 0 })),
    ],
  };
}

/** The same for the infrastructure tool, which keeps volumes apart, and gives groups to each connection. */
export function terraformOf(
  body: Schemas['CreateInstance'],
  scope: { project: number; region: number },
): string {
  const { volumes, interfaces, security_groups: groups = [], ...own } = body;
  const labels = volumes.map((_, index) => (index === 0 ? 'boot' : `data_${index}`));
  const disks = volumes.map((volume, index) =>
    terraform('gcore_volume', labels[index] ?? '', scope, {
      name: `${body.name}-boot`,
      ...volume,
      // They belong to the instance, or follow from what else the volume has.
      boot_index: undefined,
      source: undefined,
      delete_on_termination: undefined,
    }),
  );
  const instance = terraform('gcore_instancev2', body.name, scope, {
    ...own,
    volume: volumes.map((volume, index) => ({
      volume_id: referTo('gcore_volume', labels[index] ?? ''),
      boot_index: 'boot_index' in volume ? volume.boot_index : undefined,
    })),
    interface: interfaces.map((one, index) => ({ name: `net${index}`, ...one, security_groups: groups })),
  });
  return [...disks, instance].join('\n\n');
}
