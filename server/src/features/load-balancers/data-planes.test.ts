import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Forbidden } from '../../kernel/errors.ts';
import { Cipher, KEY_BYTES } from '../../platform/secrets/cipher.ts';
import { SecretReader } from '../secrets/index.ts';
import { DataPlanes } from './data-planes.ts';
import { FakeProvider } from './testing/fake-provider.ts';

const REGION = { id: 1, name: 'Local', state: 'ACTIVE' };

function region() {
  const provider = new FakeProvider();
  const time = { now: 0 };
  let probes = 0;
  provider.unavailable = async () => {
    probes++;
    return provider.reason;
  };
  const providers = new DataPlanes({
    providerOf: (id) => (id === 1 ? provider : undefined),
    addressesOf: (id) => (id === 1 ? provider : undefined),
    regionIds: () => [1, 2],
    secrets: new SecretReader(new Cipher([randomBytes(KEY_BYTES)])),
    now: () => time.now,
  });
  return { provider, providers, time, probes: () => probes };
}

test('a region that cannot serve refuses with the reason, and is asked again after five seconds', async () => {
  const { provider, providers, time, probes } = region();
  provider.reason = 'install the Debian package "haproxy"';
  const refusal = await providers.require(REGION).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Forbidden);
  expect((refusal as Error).message).toContain('Local: install the Debian package "haproxy"');
  provider.reason = null;
  time.now = 4999;
  await expect(providers.require(REGION)).rejects.toThrow(Forbidden);
  expect(probes()).toBe(1);
  time.now = 5000;
  await providers.require(REGION);
  expect(probes()).toBe(2);
});

test('a probe that fails is not remembered', async () => {
  const { provider, providers } = region();
  const probe = provider.unavailable;
  provider.unavailable = async () => {
    throw new Error('no answer');
  };
  await expect(providers.require(REGION)).rejects.toThrow('no answer');
  provider.unavailable = probe;
  await providers.require(REGION);
});

test('a region without a data plane refuses', async () => {
  const { providers } = region();
  await expect(providers.require({ ...REGION, id: 2 })).rejects.toThrow(Forbidden);
  expect((await providers.live()).map(([id]) => id)).toEqual([1]);
});
