import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, refusalOf } from './home.ts';
import type { NodeIdentity } from './owned-region.ts';
import { dataPlane } from './testing/data-plane.ts';

let there: string;

beforeAll(() => {
  there = mkdtempSync(path.join(tmpdir(), 'virga-home-'));
});

afterAll(() => rmSync(there, { recursive: true }));

const me: NodeIdentity = { name: 'here', dataDir: '/data', alone: false };

/** @param running pids of programs of another data directory */
function refusal(home: Partial<Home>, running: readonly number[] = [], node: NodeIdentity = me) {
  const data = dataPlane({ programsOf: (dataDir) => (dataDir === node.dataDir ? [] : running) });
  const region = { id: 1, name: 'Local', data };
  return refusalOf({ node: null, dataDir: null, assigned: null, peers: [], ...home }, region, node);
}

test('a region that nobody has served yet is for whoever comes first, or whom the operator names', () => {
  expect(refusal({})).toBeNull();
  expect(refusal({ assigned: 'here' })).toBeNull();
  expect(refusal({ assigned: 'there' })).toContain('it belongs on node there');
});

test('a region is for the machine and data directory that served it first', () => {
  expect(refusal({ node: 'here', dataDir: '/data' })).toBeNull();
  expect(refusal({ node: 'there', dataDir: '/data' })).toContain('it belongs to node there');
  expect(refusal({ node: 'here', dataDir: there })).toContain('another data directory of this machine');
});

test('the operator moves it to another machine', () => {
  expect(refusal({ node: 'there', dataDir: '/data', assigned: 'here' })).toBeNull();
  expect(refusal({ node: 'here', dataDir: '/data', assigned: 'there' })).toContain(
    'node there (VIRGA_REGIONS)',
  );
});

test('a region of several machines is for any of them', () => {
  const peers = ['here', 'there'];
  expect(refusal({ peers })).toBeNull();
  expect(refusal({ node: 'there', dataDir: '/data', peers })).toBeNull();
  expect(refusal({ node: 'there', dataDir: '/data', peers: ['there', 'yonder'] })).toContain(
    'it belongs on one of the nodes there, yonder',
  );
});

test('a data directory that is gone is followed by another, once nothing of it runs', () => {
  const gone = { node: 'here', dataDir: path.join(there, 'gone') };
  expect(refusal(gone)).toBeNull();
  expect(refusal(gone, [4711])).toContain('still serve it here (pid 4711)');
});

test('who has the database in his data directory may move with both', () => {
  const alone = { ...me, alone: true };
  expect(refusal({ node: 'there', dataDir: '/elsewhere' }, [], alone)).toBeNull();
  expect(refusal({ assigned: 'there' }, [], alone)).toContain('it belongs on node there');
});
