import type { RegionContents } from '../../features/regions/port.ts';

/** Addresses of this machine; nothing here boots an image or filters packets. */
export const LOCAL_CONTENTS: RegionContents = {
  externalRange: '127.64.0.0/10',
  publicRanges: [],
  images: [],
  securityGroups: false,
};
