import type { RegionContents } from '../../features/regions/port.ts';

/** Its images are those of the catalogue. */
export const SIMULATED_CONTENTS: Omit<RegionContents, 'images'> = {
  externalRange: '10.0.0.0/8',
  // Those of documents, and those of carriers.
  publicRanges: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '100.64.0.0/10'],
};
