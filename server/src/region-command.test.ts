import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { newFolder } from '../../test/harness/leftovers.ts';
import { EXAMPLE } from './providers/openstack/testing/settings.ts';
import { regionCommand } from './region-command.ts';

test('a region that the file does not have is named beside those that it has', async () => {
  const folder = newFolder('server');
  const file = path.join(folder, 'regions.json');
  const entries = [
    { id: 3, name: 'Frankfurt', provider: 'openstack', settings: EXAMPLE },
    { id: 4, name: 'Here', provider: 'simulated' },
  ];
  writeFileSync(file, JSON.stringify({ regions: entries }));
  const check = (name: string, env: NodeJS.ProcessEnv) =>
    regionCommand(['check', name], { env, print: () => {}, say: () => {} });
  const env = { VIRGA_DATA_DIR: folder };
  await expect(check('Berlin', Object.assign({ VIRGA_REGIONS: file }, env))).rejects.toThrow(
    'VIRGA_REGIONS names no region Berlin of the provider openstack: it names Frankfurt',
  );
  await expect(check('Berlin', env)).rejects.toThrow('Set VIRGA_REGIONS to the file');
});
