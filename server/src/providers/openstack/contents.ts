import type { RegionContents } from '../../features/regions/port.ts';
import type { OpenStackSettings } from './settings.ts';

/** Its network is where load balancers get addresses, and its public range the one of floating IPs. */
export function openStackContents({ vip, external, volumes }: OpenStackSettings): RegionContents {
  return {
    externalRange: vip.cidr,
    publicRanges: external ? [external.cidr] : [],
    images: (volumes?.images ?? []).map((image) => ({
      name: image.name,
      distro: image.distro,
      version: image.version,
      osType: image.os_type ?? 'linux',
      minDisk: image.min_disk ?? 1,
      minRam: image.min_ram ?? 0,
    })),
  };
}
