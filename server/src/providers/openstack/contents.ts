import type { RegionContents } from '../../features/regions/port.ts';
import type { OpenStackSettings } from './settings.ts';

/** Its network is where load balancers get addresses, and its public range the one of floating IPs. */
export function openStackContents({ vip, external }: OpenStackSettings): RegionContents {
  return {
    externalRange: vip.cidr,
    publicRanges: external ? [external.cidr] : [],
    images: [],
  };
}
