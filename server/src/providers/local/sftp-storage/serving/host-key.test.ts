import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { newFolder } from '../../../../../../test/harness/leftovers.ts';
import { readOrMakeKey } from './host-key.ts';

const MALFORMED =
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END OPENSSH PRIVATE KEY-----\n';
const good = () => {
  for (;;) {
    const key = ssh2.utils.generateKeyPairSync('ed25519').private;
    if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
  }
};

test('a key that cannot be read is not used: another one is made, and kept', () => {
  const file = path.join(newFolder('server'), 'host.key');
  const [first, second] = [good(), good()];
  const made = [MALFORMED, MALFORMED, first, second];
  expect(readOrMakeKey(file, () => made.shift() ?? '')).toBe(first);
  expect(readFileSync(file, 'utf8')).toBe(first);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readOrMakeKey(file, () => made.shift() ?? '')).toBe(first);
  writeFileSync(file, MALFORMED);
  expect(readOrMakeKey(file, () => made.shift() ?? '')).toBe(second);
});
