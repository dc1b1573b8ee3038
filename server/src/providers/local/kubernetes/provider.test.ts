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
    fence: { isOwner: true, hold: (action: () => unknown) => action() } as never,
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

/** What is there of a cluster that is being made: its program cannot be started here. */
const desired = (id: string) => ({ id, name: 'lab', version: 'v1.36.3', apiAddress: '127.112.0.1' }) as never;
const operation = (type: string) => ({ key: 'task', type, name: 'lab', acceptedAt: new Date(0) });
const ELSEWHERE = 'does not have the data of this cluster';

test('a cluster that was made on another machine is not made anew by a change, and undoing that changes nothing', async () => {
  const observed = { id: ID, isPaused: false, isNew: false };
  expect(await kubernetes.observeClusters([observed])).toEqual(
    new Map([[ID, expect.stringContaining(ELSEWHERE)]]),
  );
  for (const type of ['update_k8s_cluster_v2', 'upgrade_k8s_cluster'])
    await expect(kubernetes.applyControlPlane(desired(ID), operation(type))).rejects.toThrow(ELSEWHERE);
  expect(await kubernetes.applyControlPlane(desired(ID), operation('restore_k8s_cluster'))).toEqual({
    ready: true,
  });
  const node = { id: 'node', clusterId: ID, name: 'lab-1' };
  await expect(kubernetes.applyNode(node as never, operation('create_k8s_node'))).rejects.toThrow(ELSEWHERE);
  await expect(
    kubernetes.removeNode({ ...node, drains: true }, operation('delete_k8s_node')),
  ).rejects.toThrow(ELSEWHERE);
  // One that goes altogether leaves its files to the machine that has them.
  expect(await kubernetes.removeNode({ ...node, drains: false }, operation('delete_k8s_node'))).toEqual({
    ready: true,
  });
  await expect(kubernetes.settleCluster(ID)).rejects.toThrow(ELSEWHERE);
  expect(existsSync(join(root, ID))).toBe(false);
});

test('what was begun here and made on another machine does not take the place of that', async () => {
  const creating = { id: ID, isPaused: false, isNew: true };
  const create = () => kubernetes.applyControlPlane(desired(ID), operation('create_k8s_cluster_v2'));
  await kubernetes.observeClusters([creating]);
  await expect(create()).rejects.toThrow();
  expect(existsSync(join(root, ID, 'making'))).toBe(true);
  expect(await kubernetes.observeClusters([creating])).toEqual(new Map());
  // Its task has ended on the other machine.
  const made = { ...creating, isNew: false };
  expect(await kubernetes.observeClusters([made])).toEqual(
    new Map([[ID, expect.stringContaining(ELSEWHERE)]]),
  );
  expect(existsSync(join(root, ID, 'paused'))).toBe(true);
  // Here it has ended as well.
  await kubernetes.settleCluster(ID);
  expect(await kubernetes.observeClusters([made])).toEqual(new Map());
  expect(existsSync(join(root, ID, 'paused'))).toBe(false);
  await kubernetes.clear(ID);
});
