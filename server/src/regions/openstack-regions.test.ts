import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { startTestServer } from '../../../test/harness/server.ts';
import { instanceBody } from '../features/instances/testing/bodies.ts';
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

const OFFER = {
  instances: { flavors: { 'g1-standard-1-2': '1' } },
  volumes: {
    types: { standard: 'plain' },
    images: [{ image_id: 'i', name: 'Tiny', distro: 'tiny', version: '1' }],
  },
};

test('what a cloud offers beside networks is named by Virga’s names', () => {
  const entryOf = (more: object) => ({
    id: 3,
    name: 'Cloud',
    provider: 'openstack',
    settings: Object.assign({}, EXAMPLE, more),
  });
  const [region] = readRegionsFile(fileOf(entryOf(OFFER)));
  expect(region?.settings).toMatchObject({ volume_types: ['standard'], openstack: OFFER });
  const settings = { openstack: Object.assign({}, EXAMPLE, OFFER) };
  expect(contentsOf({ provider: 'openstack', settings })?.images).toEqual([
    { name: 'Tiny', distro: 'tiny', version: '1', osType: 'linux', minDisk: 1, minRam: 0 },
  ]);
  const wrong = { instances: { flavors: { huge: '1' } } };
  const read = () => readRegionsFile(fileOf(entryOf(wrong)));
  expect(read).toThrow('regions.0.settings.volumes: is missing');
  expect(read).toThrow('regions.0.settings.instances.flavors.huge');
  const typed = { volumes: { types: { gold: 'plain' } } };
  expect(() => readRegionsFile(fileOf(entryOf(typed)))).toThrow('regions.0.settings.volumes.types.gold');
});

test('a region on a cloud has only what is made there: no machines, no clusters, no databases', async () => {
  const key = randomBytes(KEY_BYTES);
  const credential = sealCredential(new Cipher([key]), { id: 'one', secret: 'very secret' });
  const openstack = Object.assign({}, EXAMPLE, { credential });
  const region = {
    id: 7,
    display_name: 'Cloud',
    slug: 'cloud',
    state: 'ACTIVE',
    provider: 'openstack',
    settings: { openstack },
  };
  const server = await startTestServer({ regions: [region], masterKeys: [key], worker: false });
  onTestFinished(() => server.close());
  const { body } = await server.call('GET', '/cloud/v1/regions/7');
  const flags = Object.entries(body).filter(([name]) => name.startsWith('has_'));
  expect(flags.length).toBeGreaterThan(8);
  expect(flags.filter(([, has]) => has)).toEqual([]);
  const volume = { name: 'data', source: 'new-volume', size: 1 };
  expect(await server.call('POST', '/cloud/v1/volumes/1/7', { body: volume })).toMatchObject({
    status: 403,
    body: { message: expect.stringMatching(/^Region Cloud has no volumes/) },
  });
  const instance = instanceBody('0c8f7a52-3a51-4f0e-9d0c-8f3a3e1b2c4d');
  expect(await server.call('POST', '/cloud/v2/instances/1/7', { body: instance })).toMatchObject({
    status: 403,
    body: { message: expect.stringMatching(/^Region Cloud has no virtual machines/) },
  });
});
