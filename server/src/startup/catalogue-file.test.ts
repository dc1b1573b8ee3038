import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createCluster, startServerWithSshKey } from '../../../test/harness/kubernetes.ts';
import { startTestServer } from '../../../test/harness/server.ts';
import { shared } from '../../../test/harness/shared.ts';
import { catalogue, offer } from '../features/catalogue/index.ts';
import { readCatalogueFile, refuseMissingFlavors } from './catalogue-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'virga-catalogue-'));
afterAll(() => rmSync(folder, { recursive: true }));

const OURS = path.join(import.meta.dirname, '../features/catalogue/catalogue.json');
const file = path.join(folder, 'catalogue.json');
const ours = catalogue();

function written(content: unknown): string {
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('our own file is a catalogue', () => {
  expect(readCatalogueFile(OURS)).toEqual(JSON.parse(readFileSync(OURS, 'utf8')));
});

test('all wrong entries are named at once', () => {
  const [flavor] = ours.flavors;
  const wrong = {
    flavors: [flavor, { id: 'a b', vcpus: 0, ram_gib: 1 }, { ...flavor, price: 1 }],
    kubernetes_versions: ['1.36'],
    volume_types: ['fast'],
    images: [],
  };
  expect(() => readCatalogueFile(written(wrong))).toThrow(
    /VIRGA_CATALOGUE: .*catalogue.json is not right: (?=.*flavors.1.id)(?=.*flavors.1.vcpus)(?=.*flavors.2.price)(?=.*kubernetes_versions.0)(?=.*volume_types.0)(?=.*images)/s,
  );
  const twice = { ...ours, flavors: [flavor, flavor], volume_types: ['standard', 'standard'] };
  expect(() => readCatalogueFile(written(twice))).toThrow(
    /(?=.*flavors.1.*twice)(?=.*volume_types.1.*twice)/s,
  );
  expect(() => readCatalogueFile(written('{'))).toThrow('VIRGA_CATALOGUE');
  expect(() => readCatalogueFile(path.join(folder, 'missing'))).toThrow('VIRGA_CATALOGUE');
});

describe('another catalogue', () => {
  const server = shared(startServerWithSshKey);
  afterEach(() => offer(ours));

  test('is what is offered, in every list and refusal', async () => {
    offer({
      flavors: [{ id: 'tiny', vcpus: 1, ram_gib: 1, gpu: { model: 'L40S', count: 2 } }],
      kubernetes_versions: ['v1.40.0'],
      volume_types: ['ultra'],
      images: [{ name: 'plan9', distribution: 'plan9', version: '4', min_disk_gib: 1, min_ram_mib: 64 }],
    });
    const other = await startTestServer({ worker: false });
    try {
      const names = async (target: string, field: string) =>
        (await other.call('GET', target)).body.results.map((row: Record<string, unknown>) => row[field]);
      expect(await names('/cloud/v1/flavors/1/2', 'flavor_id')).toEqual(['tiny']);
      expect(await names('/cloud/v2/k8s/1/2/create_versions', 'version')).toEqual(['v1.40.0']);
      expect(await names('/cloud/v1/images/1/2', 'name')).toEqual(['plan9']);
      const body = { flavor: 'g1-standard-1-2', interfaces: [{ type: 'external' }], volumes: [] };
      const refused = await other.call('POST', '/cloud/v2/instances/1/2', { body });
      expect(refused.body.invalid_fields.flavor).toEqual(['must be one of: tiny']);
    } finally {
      await other.close();
    }
  });

  test('must have the flavors that nodes of clusters have', async () => {
    await createCluster(server, 'lab');
    await refuseMissingFlavors(server.db);
    offer({ ...ours, flavors: ours.flavors.filter(({ id }) => id !== 'g1-standard-1-2') });
    await expect(refuseMissingFlavors(server.db)).rejects.toThrow(
      /not in the catalogue .*: g1-standard-1-2$/,
    );
  });
});
