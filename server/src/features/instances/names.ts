import { Invalid } from '../../kernel/errors.ts';
import { addressNumber } from '../../kernel/ip.ts';

/** Names that are made of addresses. */

/** How many octets of an address each placeholder stands for, from its end. */
const PLACEHOLDERS: Readonly<Record<string, number>> = { ip_octets: 3, two_ip_octets: 2, one_ip_octet: 1 };
const PLACEHOLDER = /\{([^{}]*)\}/g;
const LONGEST = 63;

/** Why a template cannot become a name; undefined when it can, whatever the address. */
export function templateFault(template: string): string | undefined {
  const known = Object.keys(PLACEHOLDERS).map((name) => `{${name}}`);
  const used = [...template.matchAll(PLACEHOLDER)].map(([text]) => text);
  const rest = template.replaceAll(PLACEHOLDER, '');
  if (used.length === 0) return `needs one of ${known.join(', ')}`;
  if (/[{}]/.test(rest) || used.some((text) => !known.includes(text))) {
    return `knows no placeholders but ${known.join(', ')}`;
  }
  const longest = used.reduce(
    (sum, text) => sum + octetsOf(text.slice(1, -1)) * '255-'.length - 1,
    rest.length,
  );
  return longest > LONGEST ? `makes names of more than ${LONGEST} characters` : undefined;
}

/** Fills a template in: `web-{two_ip_octets}` is `web-0-7` for 10.0.0.7. The end of an IPv6 address counts in the
 *  same way, byte by byte.
 *  @throws Invalid for an address that is none */
export function nameFrom(template: string, address: string): string {
  const value = addressNumber(address)?.value;
  if (value === undefined) throw new Invalid({ name_template: ['needs an interface with an address'] });
  return template.replaceAll(PLACEHOLDER, (_, name: string) =>
    Array.from({ length: octetsOf(name) }, (_, at) => octetAt(value, octetsOf(name) - 1 - at)).join('-'),
  );
}

const octetsOf = (name: string) => PLACEHOLDERS[name] ?? 0;
const octetAt = (value: bigint, scope: number) => String((value >> BigInt(8 * scope)) & 255n);
