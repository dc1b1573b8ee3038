/** What a provider says that each of its regions has from the beginning. */
export interface RegionContents {
  /** The IPv4 range (CIDR) of the region's external network. */
  readonly externalRange: string;
  /** Ranges of its public addresses, which are subnets of the external network too. */
  readonly publicRanges: readonly string[];
  /** Images that every project sees, in the order in which they are shown. */
  readonly images: readonly PublicImage[];
}

export interface PublicImage {
  readonly name: string;
  readonly distro: string;
  readonly version: string;
  readonly osType: 'linux' | 'windows';
  /** GiB. */
  readonly minDisk: number;
  /** MiB. */
  readonly minRam: number;
}
