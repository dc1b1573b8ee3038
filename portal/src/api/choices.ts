import type { Choices, Option } from '../ui/field-input.tsx';
import { client } from './client.ts';

/** What a form lets choose from, each from a list of the API. */

interface Where {
  readonly project: number;
  readonly region: number;
}

/** So many are offered at once; more are found by a part of their name, which the server looks for. */
const OFFERED = 100;
const MANY = { limit: 1000 };
/** Of a list that the server searches. @param part of the name; empty: any */
const named = (part: string) => ({ limit: OFFERED, ...(part ? { name__contains: part } : {}) });
/** As a regular expression, in which its own signs stand for themselves. */
const literally = (part: string) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const pathOf = ({ project, region }: Where) => ({ project_id: project, region_id: region });
const namedIn = (where: Where, part: string) => ({ params: { path: pathOf(where), query: named(part) } });

/** @throws what the API refused with: a list that could not be read is not an empty one */
function resultsOf<Item>(found: {
  readonly data?: { readonly results: readonly Item[] } | undefined;
  readonly error?: unknown;
}): readonly Item[] {
  if (found.error !== undefined) throw found.error;
  return found.data?.results ?? [];
}

interface Item {
  readonly id: string;
  readonly name: string;
}

const called = ({ id, name }: Item): Option => ({ value: id, label: name });
const sized = ({ id, name, size }: Item & { readonly size: number }): Option => ({
  value: id,
  label: `${name} (${size} GiB)`,
});

const keyOf = (noun: string, { project, region }: Where, more = '') => `${noun} ${project} ${region} ${more}`;

export const images = (where: Where): Choices => ({
  key: keyOf('images', where),
  none: 'There is no image here',
  isSearched: true,
  load: async (part) =>
    resultsOf(await client.GET('/cloud/v1/images/{project_id}/{region_id}', namedIn(where, part))).map(
      ({ id, name, min_disk }) => ({
        value: id,
        label: `${name} (${min_disk} GiB at least)`,
      }),
    ),
});

export const flavors = (where: Where): Choices => ({
  key: keyOf('flavors', where),
  isSearched: true,
  load: async (part) =>
    resultsOf(await client.GET('/cloud/v1/flavors/{project_id}/{region_id}', namedIn(where, part)))
      .filter(({ disabled }) => !disabled)
      .map(({ flavor_id, flavor_name, vcpus, ram }) => ({
        value: flavor_id,
        label: `${flavor_name}: ${vcpus} CPU, ${ram / 1024} GiB`,
      })),
});

export const loadBalancerFlavors = (where: Where): Choices => ({
  key: keyOf('load balancer flavors', where),
  load: async () =>
    resultsOf(
      await client.GET('/cloud/v1/lbflavors/{project_id}/{region_id}', {
        params: { path: pathOf(where) },
      }),
    ).map(({ flavor_name, vcpus, ram }) => ({
      value: flavor_name,
      label: `${flavor_name}: ${vcpus} CPU, ${ram} MiB`,
    })),
});

export const sshKeys = ({ project }: Where): Choices => ({
  key: `ssh keys ${project}`,
  none: 'None yet: add one',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/ssh_keys/{project_id}', {
        params: { path: { project_id: project }, query: named(part) },
      }),
    ).map(({ name }) => ({ value: name, label: name })),
});

/** Load balancers by the port that an address can lead to. */
export const balancerPorts = (where: Where): Choices => ({
  key: keyOf('load balancer ports', where),
  none: 'There is no load balancer here',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/loadbalancers/{project_id}/{region_id}', namedIn(where, part)),
    ).flatMap(({ name, vip_port_id, vip_address }) =>
      vip_port_id ? [{ value: vip_port_id, label: `${name} (${vip_address})` }] : [],
    ),
});

export const networks = (where: Where): Choices => ({
  key: keyOf('networks', where),
  none: 'There is no network here yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/networks/{project_id}/{region_id}', {
        params: { path: pathOf(where), query: { ...named(part), external: false } },
      }),
    ).map(called),
});

export const subnets = (where: Where, networkId?: string): Choices => ({
  key: keyOf('subnets', where, networkId),
  none: 'There is no subnet here yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/subnets/{project_id}/{region_id}', {
        params: {
          path: pathOf(where),
          query: { ...named(part), ...(networkId ? { network_id: networkId } : {}) },
        },
      }),
    ).map(({ id, name, cidr }) => ({ value: id, label: `${name} (${cidr})` })),
});

export const securityGroups = (where: Where): Choices => ({
  key: keyOf('security groups', where),
  none: 'There is no security group here yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/securitygroups/{project_id}/{region_id}', namedIn(where, part)),
    ).map(called),
});

export const instances = (where: Where): Choices => ({
  key: keyOf('instances', where),
  none: 'There is no instance here yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/instances/{project_id}/{region_id}', {
        params: {
          path: pathOf(where),
          query: { limit: OFFERED, include_k8s: false, ...(part ? { name: part } : {}) },
        },
      }),
    ).map(called),
});

export const volumes = (where: Where, status?: string): Choices => ({
  key: keyOf('volumes', where, status),
  none: 'There is no volume to choose',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/volumes/{project_id}/{region_id}', {
        params: { path: pathOf(where), query: { limit: OFFERED, ...(part ? { name_part: part } : {}) } },
      }),
    )
      .filter((volume) => status === undefined || volume.status === status)
      .map(sized),
});

export const snapshots = (where: Where): Choices => ({
  key: keyOf('snapshots', where),
  none: 'There is no snapshot yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(await client.GET('/cloud/v1/snapshots/{project_id}/{region_id}', namedIn(where, part))).map(
      sized,
    ),
});

export const serverGroups = (where: Where): Choices => ({
  key: keyOf('server groups', where),
  none: 'There is no server group yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(await client.GET('/cloud/v1/servergroups/{project_id}/{region_id}', namedIn(where, part))).map(
      ({ servergroup_id, name, policy }) => ({
        value: servergroup_id,
        label: `${name} (${policy})`,
      }),
    ),
});

export const certificates = (where: Where): Choices => ({
  key: keyOf('certificates', where),
  none: 'No certificate is kept here yet',
  isSearched: true,
  load: async (part) =>
    resultsOf(await client.GET('/cloud/v1/secrets/{project_id}/{region_id}', namedIn(where, part))).map(
      called,
    ),
});

/** Storages by their names. */
export const storageNames: Choices = {
  key: 'storage names',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/storage/v4/object_storages', {
        params: { query: { limit: OFFERED, ...(part ? { name__contains: part } : {}) } },
      }),
    ).map(({ name }) => ({ value: name, label: name })),
};

/** Where storages of S3 may be, which belong to no project.
 *  @param here the slug of the region that comes first */
export const storageLocations = (here: string | undefined): Choices => ({
  key: `storage locations ${here}`,
  none: 'No region has object storage at present',
  load: async () =>
    resultsOf(
      await client.GET('/storage/v4/locations', {
        params: { query: { ...MANY, order_by: 'title.asc', type: 'standard' } },
      }),
    )
      .map(({ name, title }) => ({ value: name, label: title }))
      .sort((a, b) => Number(b.value === here) - Number(a.value === here)),
});

/** Addresses that are reserved and that nothing uses. */
export const reservedAddresses = (where: Where): Choices => ({
  key: keyOf('reserved', where),
  none: 'There is no free reserved fixed IP',
  isSearched: true,
  load: async (part) =>
    resultsOf(
      await client.GET('/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}', {
        params: {
          path: pathOf(where),
          query: { limit: OFFERED, available_only: true, ...(part ? { ip_address: literally(part) } : {}) },
        },
      }),
    ).map(({ port_id, name, fixed_ip_address, fixed_ipv6_address }) => ({
      value: port_id,
      label: `${fixed_ip_address ?? fixed_ipv6_address} (${name})`,
    })),
});

export const clusterVersions = (where: Where): Choices => ({
  key: keyOf('cluster versions', where),
  none: 'The region has no version at present',
  load: async () =>
    resultsOf(
      await client.GET('/cloud/v2/k8s/{project_id}/{region_id}/create_versions', {
        params: { path: pathOf(where) },
      }),
    ).map(({ version }) => ({ value: version, label: version })),
});

export const nodeFlavors = (where: Where): Choices => ({
  key: keyOf('node flavors', where),
  none: 'The region has no size at present',
  load: async () =>
    resultsOf(
      await client.GET('/cloud/v1/k8s/{project_id}/{region_id}/flavors', {
        params: { path: pathOf(where) },
      }),
    ).map(({ flavor_id, vcpus, ram }) => ({
      value: flavor_id,
      label: `${flavor_id}: ${vcpus} CPU, ${ram} MiB`,
    })),
});
