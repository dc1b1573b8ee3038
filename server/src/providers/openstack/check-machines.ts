import { messageOf } from '../../kernel/errors.ts';
import { absent } from './faults.ts';
import { type Check, type Finding, fails, lacks, sayLimit, works } from './findings.ts';
import { MICROVERSIONS, type Session } from './session.ts';
import type { OpenStackSettings } from './settings.ts';

/** What of instances, volumes and images will work: services and their versions, flavors, types, images and quotas. */

async function checkServices(
  session: Session,
  { instances, volumes }: OpenStackSettings,
): Promise<readonly Finding[]> {
  const nova = instances
    ? await ofVersion(session, 'Nova', 'compute')
    : lacks('instances', 'there are none: the entry names no flavors');
  if (!volumes) return [nova, lacks('volumes and images', 'there are none: the entry names no types')];
  return [nova, await ofVersion(session, 'Cinder', 'block-storage'), await ofGlance(session)];
}

async function ofVersion(
  session: Session,
  name: string,
  service: keyof typeof MICROVERSIONS,
): Promise<Finding> {
  const major = service === 'compute' ? 2 : 3;
  try {
    const newest = await session.microversion(service);
    const says = `API ${major}.${newest}`;
    return newest >= MICROVERSIONS[service]
      ? works(name, says)
      : fails(name, `${says}: ${major}.${MICROVERSIONS[service]} is needed`);
  } catch (error) {
    return fails(name, messageOf(error));
  }
}

async function ofGlance(session: Session): Promise<Finding> {
  try {
    const answer = await session.call('image', 'GET', '/info/import');
    const { 'import-methods': methods } = answer as { 'import-methods': { value: readonly string[] } };
    return methods.value.includes('web-download')
      ? works('Glance', 'fetches images from addresses')
      : lacks('Glance', 'has no web-download: images cannot be made of addresses');
  } catch (error) {
    return fails('Glance', messageOf(error));
  }
}

async function checkSizes(session: Session, { instances }: OpenStackSettings) {
  return Promise.all(
    Object.entries(instances?.flavors ?? {}).map(async ([name, id]) => {
      const what = `size ${name}`;
      const answer = await absent(session.call('compute', 'GET', `/flavors/${id}`));
      if (!answer) return fails(what, `the cloud has no flavor ${id}`);
      const { flavor } = answer as { flavor: { vcpus: number; ram: number; name: string } };
      return works(what, `${flavor.name}: ${flavor.vcpus} vCPUs, ${flavor.ram} MiB`);
    }),
  );
}

async function checkTypes(session: Session, { volumes }: OpenStackSettings): Promise<readonly Finding[]> {
  if (!volumes) return [];
  const answer = await session.call('block-storage', 'GET', '/types');
  const { volume_types: all } = answer as { volume_types: readonly { readonly name: string }[] };
  const names = all.map(({ name }) => name);
  return Object.entries(volumes.types).map(([type, name]) =>
    names.includes(name)
      ? works(`volume type ${type}`, name)
      : fails(`volume type ${type}`, `${name} is none of the types here: ${names.join(', ')}`),
  );
}

async function checkImages(session: Session, { volumes }: OpenStackSettings) {
  return Promise.all(
    (volumes?.images ?? []).map(async ({ name, image_id: id }) => {
      const what = `image ${name}`;
      const image = (await absent(session.call('image', 'GET', `/images/${id}`))) as
        | { readonly status: string }
        | undefined;
      if (!image) return fails(what, `the cloud has no image ${id}`);
      return image.status === 'active' ? works(what, id) : fails(what, `${id} is ${image.status}`);
    }),
  );
}

async function checkRoom(
  session: Session,
  { instances, volumes }: OpenStackSettings,
): Promise<readonly Finding[]> {
  const { projectId } = await session.identity();
  const quotaOf = async (service: 'compute' | 'block-storage') => {
    const answer = await session.call(service, 'GET', `/os-quota-sets/${projectId}`);
    return (answer as { quota_set: Readonly<Record<string, number>> }).quota_set;
  };
  const ofNova = instances ? await quotaOf('compute') : {};
  const ofCinder = volumes ? await quotaOf('block-storage') : {};
  const limits = {
    instances: ofNova.instances,
    vCPUs: ofNova.cores,
    'MiB of memory': ofNova.ram,
    volumes: ofCinder.volumes,
    snapshots: ofCinder.snapshots,
    GiB: ofCinder.gigabytes,
  };
  const named = Object.entries(limits).filter(([, limit]) => limit !== undefined);
  if (named.length === 0) return [];
  const says = named.map(([name, limit]) => `${name} ${sayLimit(limit)}`);
  return [works('quotas of machines', says.join(', '))];
}

export const checksOfMachines: readonly Check[] = [
  checkServices,
  checkSizes,
  checkTypes,
  checkImages,
  checkRoom,
];

export const NAMES_OF_MACHINES: readonly (readonly [Check, string])[] = [
  [checkServices, 'Nova, Cinder and Glance'],
  [checkSizes, 'sizes of instances'],
  [checkTypes, 'volume types'],
  [checkImages, 'images'],
  [checkRoom, 'quotas of machines'],
];
