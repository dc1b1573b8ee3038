export {
  type AddressRoom,
  freeAddresses,
  giveAddress,
  giveAnyAddress,
  lockAddresses,
  moveAddress,
} from './give.ts';
export { freed, given, type Stored, stored } from './sql.ts';
