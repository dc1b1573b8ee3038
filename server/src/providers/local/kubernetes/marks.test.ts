import { expect, test } from 'vitest';
import { type MarkedNode, marksPatch, type Taint, taintOf } from './marks.ts';

const NOTE = 'virga.local/pool-marks';
const noted = (labels: string[], taints: string[]) => ({ [NOTE]: JSON.stringify({ labels, taints }) });
const node = (
  labels: Record<string, string>,
  taints: readonly Taint[] = [],
  annotations: Record<string, string> = {},
): MarkedNode => ({ metadata: { resourceVersion: '7', labels, annotations }, spec: { taints } });

test('a taint has a value, or none', () => {
  expect(taintOf('dedicated', 'web:NoSchedule')).toEqual({
    key: 'dedicated',
    value: 'web',
    effect: 'NoSchedule',
  });
  for (const text of ['NoExecute', ':NoExecute'])
    expect(taintOf('gone', text)).toEqual({ key: 'gone', value: '', effect: 'NoExecute' });
});

test('a new node is noted, and one that is as it should be is left alone', () => {
  const marks = { labels: { tier: 'web' }, taints: { dedicated: 'NoSchedule' } };
  const taints = [{ key: 'dedicated', effect: 'NoSchedule' }];
  expect(marksPatch(node({ tier: 'web', zone: 'a' }, taints), marks)).toEqual({
    metadata: { resourceVersion: '7', labels: {}, annotations: noted(['tier'], ['dedicated']) },
  });
  const known = noted(['tier'], ['dedicated']);
  expect(marksPatch(node({ tier: 'web', zone: 'a' }, taints, known), marks)).toBeUndefined();
});

test('what the pool no longer has goes, what others put on a node stays', () => {
  const others = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
  const taints = [others, { key: 'dedicated', value: 'web', effect: 'NoSchedule' }];
  const before = node({ tier: 'web', old: 'yes', zone: 'a' }, taints, noted(['tier', 'old'], ['dedicated']));
  expect(marksPatch(before, { labels: { tier: 'shop' }, taints: { batch: 'x:NoExecute' } })).toEqual({
    metadata: {
      resourceVersion: '7',
      labels: { tier: 'shop', old: null },
      annotations: noted(['tier'], ['batch']),
    },
    spec: { taints: [others, { key: 'batch', value: 'x', effect: 'NoExecute' }] },
  });
  // The same key with another effect is another taint of the pool.
  expect(
    marksPatch(before, { labels: { tier: 'web' }, taints: { dedicated: 'web:NoExecute' } }),
  ).toMatchObject({ spec: { taints: [others, { key: 'dedicated', value: 'web', effect: 'NoExecute' }] } });
});

test('a note that somebody has spoiled is as if it was not there', () => {
  for (const text of ['{', 'null', '{"labels":{"a":1},"taints":[1]}'])
    expect(marksPatch(node({ a: 'b' }, [], { [NOTE]: text }), { labels: {}, taints: {} })).toEqual({
      metadata: { resourceVersion: '7', labels: {}, annotations: noted([], []) },
    });
});
