/** An e-mail address as the schemas accept it: ASCII. */
const ASCII_ADDRESS = /^[\x21-\x7e]+@[\x21-\x7e]+$/;

/** The one spelling by which an address is looked up and counted. Undefined for what nobody's address can be: no
 *  other spelling (`İ`, full-width letters, the Kelvin sign) may find a user, or escape a limit. */
export function canonicalAddress(text: string): string | undefined {
  return ASCII_ADDRESS.test(text) ? text.toLowerCase() : undefined;
}
