import { Faults } from '../../../kernel/faults.ts';
import { canonicalAddress, parseRange } from '../../../kernel/ip.ts';
import { patchTags, sameTags } from '../../../platform/http/tags.ts';
import type { AddressPair, PortRow, PortSettings } from './model.ts';
import type { UpdatePort } from './schema.ts';

/** How the port is to be; addresses are another matter.
 *  @throws Invalid naming every faulty field */
export function settingsAfter(row: PortRow, input: UpdatePort): PortSettings {
  const faults = new Faults();
  const pairs = checkedPairs(input.allowed_address_pairs ?? row.allowed_address_pairs, faults);
  const groups = [...(input.security_group_ids ?? row.security_group_ids)];
  refuseTwice('security_group_ids', groups, faults);
  const secured = input.port_security_enabled ?? row.port_security_enabled;
  if (!secured && (pairs.length > 0 || groups.length > 0)) {
    faults.add(
      'port_security_enabled',
      'must be true as long as the port has security groups or allowed address pairs; empty both to switch it off',
    );
  }
  const tags = faults.try(() => patchTags(row.tags, input.tags));
  return {
    port_security_enabled: secured,
    security_group_ids: groups,
    allowed_address_pairs: pairs,
    tags: faults.require(tags),
  };
}

function checkedPairs(pairs: readonly AddressPair[], faults: Faults): AddressPair[] {
  // One spelling for each.
  const spelt = pairs.map(({ ip_address: text }) =>
    text.includes('/') ? (parseRange(text)?.text ?? text) : canonicalAddress(text),
  );
  refuseTwice('allowed_address_pairs', spelt, faults);
  return spelt.map((ip_address) => ({ ip_address }));
}

export function refuseTwice(field: string, values: readonly string[], faults: Faults): void {
  values.forEach((value, index) => {
    if (values.indexOf(value) < index) faults.add(`${field}.${index}`, `${value} is given twice`);
  });
}

export function sameSettings(a: PortSettings, b: PortSettings): boolean {
  return (
    a.port_security_enabled === b.port_security_enabled &&
    sameTags(a.tags, b.tags) &&
    a.security_group_ids.join() === b.security_group_ids.join() &&
    a.allowed_address_pairs.map(({ ip_address }) => ip_address).join() ===
      b.allowed_address_pairs.map(({ ip_address }) => ip_address).join()
  );
}
