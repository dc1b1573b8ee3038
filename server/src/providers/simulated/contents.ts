import type { PublicImage, RegionContents } from '../../features/regions/port.ts';

const image = (
  distro: string,
  version: string,
  minDisk: number,
  minRam: number,
  name = `${distro}-${version}-x64`,
): PublicImage => ({ name, distro, version, minDisk, minRam });

export const SIMULATED_CONTENTS: RegionContents = {
  externalRange: '10.0.0.0/8',
  // Those of documents, and those of carriers.
  publicRanges: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '100.64.0.0/10'],
  images: [
    image('ubuntu', '24.04', 5, 512),
    image('ubuntu', '22.04', 5, 512),
    image('debian', '13', 5, 512),
    image('debian', '12', 5, 512),
    image('rockylinux', '10', 10, 2048),
    image('rockylinux', '9', 10, 1536),
    image('almalinux', '10', 10, 2048),
    image('almalinux', '9', 10, 1536),
    image('centos', '10-stream', 10, 2048, 'centos-stream-10-x64'),
    image('fedora', '42', 10, 2048),
    image('opensuse', '15.6', 10, 1024, 'opensuse-leap-15.6-x64'),
    image('alpine', '3.22', 1, 256),
  ],
  securityGroups: true,
};
