import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';
import { writeFileAtomically } from '../../../../kernel/files.ts';

const generate = () => ssh2.utils.generateKeyPairSync('ed25519').private;
const isValid = (key: string) => !(ssh2.utils.parseKey(key) instanceof Error);

/** The key by which a server is known, which stays the same from its first start on. The library makes a key that it
 *  cannot read itself once in some 256 times (github.com/mscdex/ssh2/issues/1390): then another one is made.
 *  @param path of its file
 *  @param newKey makes one, in OpenSSH's form
 *  @throws when the file cannot be read or written */
export function readOrMakeKey(path: string, newKey: () => string = generate): string {
  const kept = read(path);
  if (kept !== undefined && isValid(kept)) return kept;
  let key = newKey();
  while (!isValid(key)) key = newKey();
  writeFileAtomically(path, key);
  return key;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}
