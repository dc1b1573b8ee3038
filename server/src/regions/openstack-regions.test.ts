import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { Cipher, KEY_BYTES } from '../platform/secrets/cipher.ts';
import { EXAMPLE } from '../providers/openstack/testing/settings.ts';
import { contentsOf } from './known-providers.ts';
import { cloudSession, sealCredential } from './openstack-regions.ts';
import { readRegionsFile } from './regions-file.ts';

const cipher = new Cipher([randomBytes(KEY_BYTES)]);

test('a sealed credential says nothing of its secret, and opens with its own id alone', async () => {
  const credential = sealCredential(cipher, { id: 'one', secret: 'very secret' });
  expect(JSON.stringify(credential)).not.toContain('very');
  expect(Buffer.from(credential.sealed, 'base64').toString()).not.toContain('very');
  const moved = { ...credential, id: 'two' };
  const settings = { ...EXAMPLE, credential: moved };
  await expect(cloudSession(cipher, settings, Date.now).identity()).rejects.toThrow();
});

const fileOf = (...regions: readonly object[]): string => {
  const file = path.join(newFolder('server'), 'regions.json');
  writeFileSync(file, JSON.stringify({ regions }));
  return file;
};

test('the file of regions describes a cloud, whose ranges are those of the region', () => {
  const entry = { id: 3, name: 'Cloud', provider: 'openstack', settings: EXAMPLE };
  const [region] = readRegionsFile(fileOf(entry));
  expect(region?.settings).toEqual({ openstack: EXAMPLE });
  expect(contentsOf({ provider: 'openstack', settings: { openstack: EXAMPLE } })).toMatchObject({
    externalRange: '10.78.0.0/16',
    publicRanges: ['203.0.113.0/24'],
  });
});

test('settings that are missing, wrong, or of another provider are named', () => {
  expect(() => readRegionsFile(fileOf({ id: 3, name: 'Cloud', provider: 'openstack' }))).toThrow(
    'regions.0.settings: is missing',
  );
  const wrong = { ...EXAMPLE, vip: { subnet_id: 'x', cidr: 'nothing' }, secret: 'plain' };
  const read = () =>
    readRegionsFile(fileOf({ id: 3, name: 'Cloud', provider: 'openstack', settings: wrong }));
  expect(read).toThrow('regions.0.settings.vip.cidr');
  expect(read).toThrow('regions.0.settings.secret');
  const local = { id: 1, name: 'Local', provider: 'local', settings: EXAMPLE };
  expect(() => readRegionsFile(fileOf(local))).toThrow('for regions of the provider openstack');
});
