export {
  type AddressRoom,
  freeAddresses,
  giveAddress,
  giveAnyAddress,
  lockAddresses,
  moveAddress,
} from './give.ts';
export { freed, given, givenOutside } from './sql.ts';
export { type StoreAddress, storingAddress } from './store.ts';
