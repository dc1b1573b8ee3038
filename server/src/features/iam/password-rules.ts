import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliDecompressSync } from 'node:zlib';
import type { Faults } from '../../kernel/faults.ts';

/** What a new password must be (NIST SP 800-63B, OWASP ASVS 2.1): long, and nobody's first guess. Which characters it
 *  is made of is up to the person. Passwords of before stay as they are. */

/** Characters. */
export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 128;
/** Characters that must be left without what everybody knows of the person. */
const LEAST_OWN = 6;

/** Without distinctions that guessing programs do not make. Passwords are hashed in this form, but for the case. */
const plain = (text: string) => text.normalize('NFKC').toLowerCase();
const lengthOf = (text: string) => [...text].length;

let common: string | undefined;

/** Looked up in the text as it is: 180 KB, read with the first new password. */
function isCommon(password: string): boolean {
  common ??= readCommon();
  return common.includes(`\n${password}\n`);
}

function readCommon(): string {
  // Found through package.json, so that sources and bundle find the same file.
  const file = createRequire(import.meta.url).resolve('#common-passwords');
  return `\n${brotliDecompressSync(readFileSync(file)).toString()}`;
}

/** Adds what is wrong with a new password.
 *  @param given the password under the name of its field; undefined: there is none
 *  @param email whose it is, where that is known */
export function checkPassword(
  [field, password]: readonly [field: string, password: string | undefined],
  faults: Faults,
  email = '',
): void {
  if (password === undefined) return;
  const text = plain(password);
  if (lengthOf(password.normalize('NFKC')) < SHORTEST_PASSWORD) {
    faults.add(field, `must have at least ${SHORTEST_PASSWORD} characters; several words make a good one`);
  } else if (isCommon(text)) {
    faults.add(field, 'is one of the passwords that are guessed first; several words make a good one');
  } else if (lengthOf(withoutKnown(text, plain(email))) < LEAST_OWN) {
    faults.add(
      field,
      'is little more than your e-mail address or the name Virga; several words make a good one',
    );
  }
}

function withoutKnown(password: string, email: string): string {
  const [name = ''] = email.split('@');
  const known = [email, name, 'virga'].filter((word) => word.length > 2);
  return known.reduce((rest, word) => rest.replaceAll(word, ''), password).replace(/\s/g, '');
}
