import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PoolToScale } from '../../../features/kubernetes/port.ts';
import { neededNodes as neededNodesAt, type Pod, quantityOf } from './needed.ts';

const POOL: PoolToScale = {
  id: 'p',
  clusterId: 'c',
  nodes: ['one', 'two', 'three'],
  vcpus: 2,
  memoryMib: 4096,
  labels: { tier: 'front' },
  taints: {},
  scaling: {
    shrinks: true,
    unneededMs: 0,
    afterGrowthMs: 0,
    afterShrinkingMs: 0,
    newPodMs: 0,
    lookEveryMs: 0,
  },
};
const NOW = Date.parse('2026-01-31T12:00:00Z');
const neededNodes = (pool: PoolToScale, pods: readonly Pod[]) => neededNodesAt(pool, pods, NOW);
const running = (nodeName: string, change: Partial<Pod['metadata']> = {}): Pod => ({
  metadata: change,
  spec: { nodeName, containers: [] },
  status: { phase: 'Running' },
});
const waiting = (cpu: string, change: Partial<Pod['spec']> = {}): Pod => ({
  metadata: {},
  spec: { containers: [{ resources: { requests: { cpu } } }], ...change },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  },
});

test('nodes are needed up to the newest one that has pods; pods of daemons and those that ended do not count', () => {
  expect(neededNodes(POOL, [])).toBe(0);
  expect(neededNodes(POOL, [running('one')])).toBe(1);
  expect(neededNodes(POOL, [running('three')])).toBe(3);
  const daemon = running('two', { ownerReferences: [{ kind: 'DaemonSet' }] });
  const ended = { ...running('three'), status: { phase: 'Succeeded' } };
  expect(neededNodes(POOL, [running('one'), daemon, ended])).toBe(1);
});

test('pods that fit nowhere ask for as many nodes as they fill', () => {
  expect(neededNodes(POOL, [waiting('500m')])).toBe(4);
  expect(
    neededNodes(
      POOL,
      Array.from({ length: 5 }, () => waiting('1')),
    ),
  ).toBe(6);
});

test('a pod makes the pool grow when it is as old as the settings say', () => {
  const patient = { ...POOL, scaling: { ...POOL.scaling, newPodMs: 10_000 } };
  const created = (seconds: string) => {
    const metadata = { creationTimestamp: `2026-01-31T11:59:${seconds}Z` };
    return [{ ...waiting('500m'), metadata }, running('three')];
  };
  expect([neededNodes(patient, created('51')), neededNodes(patient, created('50'))]).toEqual([3, 4]);
});

test('a pod that no node of the pool would take asks for nothing', () => {
  const busy = running('three');
  expect(neededNodes(POOL, [busy, waiting('3')])).toBe(3);
  expect(neededNodes(POOL, [busy, waiting('1', { nodeSelector: { tier: 'back' } })])).toBe(3);
  expect(neededNodes(POOL, [busy, waiting('1', { nodeSelector: { tier: 'front' } })])).toBe(4);
  const tainted = { ...POOL, taints: { dedicated: 'web:NoSchedule' } };
  expect(neededNodes(tainted, [busy, waiting('1')])).toBe(3);
  const tolerations = [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }];
  expect(neededNodes(tainted, [busy, waiting('1', { tolerations })])).toBe(4);
});

test('waiting pods are never promised more than new nodes have', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 2000 }), { minLength: 1, maxLength: 40 }),
      (millicores) => {
        const more = neededNodes(
          POOL,
          millicores.map((each) => waiting(`${each}m`)),
        );
        const sum = millicores.reduce((all, each) => all + each, 0);
        expect((more - POOL.nodes.length) * 2000).toBeGreaterThanOrEqual(sum);
        expect(more - POOL.nodes.length).toBeLessThanOrEqual(millicores.length);
      },
    ),
  );
});

test('quantities are read as Kubernetes writes them', () => {
  expect(['250m', '2', '1Gi', '1e3', '500M', undefined, 'x'].map(quantityOf)).toEqual([
    0.25,
    2,
    1024 ** 3,
    1000,
    500e6,
    0,
    0,
  ]);
});
