import { expect, test } from 'vitest';
import { type PodObject, PodTally } from './pods.ts';

const CREATED = '2026-01-31T12:00:00Z';
const SINCE = '2026-01-31T12:00:30Z';
const ready = (status: string, more: object = {}) => ({
  type: 'Ready',
  status,
  lastTransitionTime: SINCE,
  ...more,
});

function pod(name: string, status: PodObject['status'], more: object = {}): PodObject {
  const metadata = { name, namespace: 'shop', creationTimestamp: CREATED };
  return { metadata, spec: { nodeName: 'node-1' }, status, ...more };
}

function tallied(...pods: PodObject[]) {
  const tally = new PodTally();
  tally.add(pods);
  return tally.result(true);
}
const causeOf = (each: PodObject) => tallied(each).unready[0];

test('pods are counted by namespace, phase and node; those that have ended are on no node', () => {
  const well = { phase: 'Running', conditions: [ready('True')] };
  const elsewhere = { name: 'dns', namespace: 'kube-system', creationTimestamp: CREATED };
  const { namespaces, nodes, unready } = tallied(
    pod('web', well),
    pod('done', { phase: 'Succeeded', conditions: [ready('False', { reason: 'PodCompleted' })] }),
    pod('lost', { phase: 'Unknown', conditions: [ready('True')] }),
    pod('dns', well, { metadata: elsewhere, spec: { nodeName: 'node-2' } }),
  );
  expect(Object.fromEntries(namespaces)).toEqual({
    shop: { pending: 0, running: 1, succeeded: 1, failed: 0, unknown: 1 },
    'kube-system': { pending: 0, running: 1, succeeded: 0, failed: 0, unknown: 0 },
  });
  expect(Object.fromEntries(nodes)).toEqual({ 'node-1': 2, 'node-2': 1 });
  expect(unready).toEqual([]);
});

test('a pod that fits nowhere says why', () => {
  const scheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/2 nodes' };
  expect(causeOf(pod('large', { phase: 'Pending', conditions: [scheduled] }, { spec: {} }))).toEqual({
    namespace: 'shop',
    name: 'large',
    node: null,
    reason: 'Unschedulable',
    message: '0/2 nodes',
    restarts: 0,
    since: new Date(CREATED),
  });
});

test('a container that ends again and again says how it ended', () => {
  const web = {
    restartCount: 3,
    state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
    lastState: { terminated: { exitCode: 7, reason: 'Error' } },
  };
  const status = { phase: 'Running', conditions: [ready('False')], containerStatuses: [web] };
  expect(causeOf(pod('web', status))).toMatchObject({
    node: 'node-1',
    reason: 'CrashLoopBackOff',
    message: 'back-off 10s; its last run ended with the exit code 7 (Error)',
    restarts: 3,
    since: new Date(SINCE),
  });
});

test('other causes are those that kubectl shows', () => {
  const waiting = (reason: string) => ({ restartCount: 0, state: { waiting: { reason } } });
  const first = { phase: 'Pending', initContainerStatuses: [waiting('ImagePullBackOff')] };
  const images = { ...first, containerStatuses: [waiting('PodInitializing')] };
  expect(causeOf(pod('init', images))?.reason).toBe('ImagePullBackOff');
  const evicted = { phase: 'Failed', reason: 'Evicted', message: 'low on memory' };
  expect(causeOf(pod('evicted', evicted))).toMatchObject({ reason: 'Evicted', message: 'low on memory' });
  const probed = ready('False', { reason: 'ContainersNotReady', message: 'unready: [web]' });
  const running = {
    phase: 'Running',
    conditions: [probed],
    containerStatuses: [{ restartCount: 0, state: {} }],
  };
  expect(causeOf(pod('slow', running))).toMatchObject({
    reason: 'ContainersNotReady',
    message: 'unready: [web]',
  });
  const leaving = { name: 'old', namespace: 'shop', creationTimestamp: CREATED, deletionTimestamp: SINCE };
  expect(causeOf(pod('old', running, { metadata: leaving }))?.reason).toBe('Terminating');
});

test('of very many only the first are kept, all are counted, and texts have an end', () => {
  const failed = { phase: 'Failed', reason: 'Evicted', message: 'x'.repeat(10_000) };
  const { unready, unreadyCount } = tallied(
    ...Array.from({ length: 60 }, (_, index) => pod(`pod-${index}`, failed)),
  );
  expect([unready.length, unreadyCount, unready[0]?.message?.length]).toEqual([50, 60, 500]);
});
