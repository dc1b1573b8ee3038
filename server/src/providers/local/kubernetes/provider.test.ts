import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineRoot } from '../host/engine-root.ts';
import { LocalKubernetes } from './provider.ts';

const ID = '6f1a7a34-9f25-4d8a-b2a1-0d4b83b1f0c1';
const FAULT = 'no program of Kubernetes';

let dataDir: string;
let root: string;
let program: string | undefined;
let kubernetes: LocalKubernetes;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'virga-kubernetes-provider-'));
  kubernetes = new LocalKubernetes({
    dataDir,
    now: () => new Date(0),
    log: { info: () => {}, warn: () => {}, error: () => {} } as never,
    fence: undefined as never,
    images: join(dataDir, 'images'),
    imageMirror: undefined,
    isServed: () => false,
    programs: {
      versions: () => (program === undefined ? [] : ['v1.36.3']),
      programOf: () => program,
      fault: () => FAULT,
      noneFault: () => FAULT,
      runsPods: () => true,
      names: () => undefined,
    },
  });
  root = engineRoot(join(dataDir, 'kubernetes'));
});
afterAll(async () => {
  await kubernetes.close('leave');
  rmSync(root, { recursive: true });
  rmSync(dataDir, { recursive: true });
});

test('a network that no program can remove stays known, with how to get one, and goes once there is one', async () => {
  const home = join(root, ID);
  mkdirSync(home);
  writeFileSync(join(home, 'network'), '');
  await expect(kubernetes.clear(ID)).rejects.toThrow(FAULT);
  expect(readdirSync(home)).toEqual(['network']);
  program = '/bin/true';
  await kubernetes.clear(ID);
  expect(existsSync(home)).toBe(false);
});
