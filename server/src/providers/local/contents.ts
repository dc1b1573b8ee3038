import type { RegionContents } from '../../features/regions/port.ts';
import { OWN_NETWORK } from './addresses/space.ts';

/** Addresses of this machine; nothing here boots an image. */
export const LOCAL_CONTENTS: RegionContents = {
  externalRange: OWN_NETWORK,
  publicRanges: [],
  images: [],
};
