export {
  type AddressRoom,
  findAnyAddress,
  freeAddresses,
  giveAddress,
  giveAnyAddress,
  lockAddresses,
  moveAddress,
} from './give.ts';
export { type RegionAddresses, requireIpv6 } from './ipv6.ts';
export { type AddressProvider, type AddressSource, OWN_PREFIX } from './port.ts';
export { freed, given } from './sql.ts';
export { type StoreAddress, storingAddress } from './store.ts';
