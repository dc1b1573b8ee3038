import path from 'node:path';
import { expect, test } from 'vitest';
import { IMAGE_TRANSITIONS } from '../../../server/src/features/images/model.ts';
import { CHANGES, restingState } from '../../../server/src/features/instances/model.ts';
import {
  CLUSTER_TRANSITIONS,
  NODE_TRANSITIONS,
  POOL_TRANSITIONS,
} from '../../../server/src/features/kubernetes/states.ts';
import { TRANSITIONS } from '../../../server/src/features/load-balancers/model.ts';
import { CLUSTER_TRANSITIONS as POSTGRESQL_TRANSITIONS } from '../../../server/src/features/managed-postgresql/model.ts';
import { PHASE_TRANSITIONS } from '../../../server/src/features/managed-postgresql/phases.ts';
import { FLOATING_IP_TRANSITIONS } from '../../../server/src/features/networking/floating-ips/model.ts';
import { STORAGE_TRANSITIONS } from '../../../server/src/features/object-storage/model.ts';
import { PROJECT_TRANSITIONS } from '../../../server/src/features/projects/store.ts';
import { REQUEST_TRANSITIONS } from '../../../server/src/features/quotas/limits-request-store.ts';
import { SECRET_TRANSITIONS } from '../../../server/src/features/secrets/store.ts';
import { ACTIONS } from '../../../server/src/features/volumes/model.ts';
import { SNAPSHOT_TRANSITIONS } from '../../../server/src/features/volumes/snapshots/model.ts';
import { DELIVERY_TRANSITIONS } from '../../../server/src/features/webhooks/model.ts';
import { TASK_TRANSITIONS } from '../../../server/src/platform/tasks/queue.ts';
import { expectGolden } from '../golden.ts';
import { diagramOf, ofTable, type States, type Step } from './diagram.ts';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** What a volume is during an action, and afterwards. */
const volumeSteps = Object.entries(ACTIONS).flatMap(([action, change]): Step[] => {
  const { from, during, after } = change;
  const failed = 'failed' in change ? [change.failed] : from;
  return [
    ...from.map((state) => ({ from: state, to: during, by: action })),
    ...[...after, ...failed].map((to) => ({ from: during, to })),
  ];
});

const resting = (['running', 'stopped', 'suspended'] as const).map((power) => restingState(power).status);

/** What an instance is after a change of its power. */
const AFTER: Readonly<Record<string, string>> = {
  start: restingState('running').status,
  stop: restingState('stopped').status,
  suspend: restingState('suspended').status,
  resume: restingState('running').status,
};

/** What an instance says of itself during a change and afterwards. Other changes leave its status as it is. */
const instanceSteps = Object.entries(CHANGES).flatMap(([name, change]): Step[] => {
  const during = 'status' in change ? change.status : undefined;
  const to = during ?? AFTER[name];
  if (to === undefined) return [];
  const into = change.from.map((from) => ({ from, to, by: change.task }));
  return [...into, ...(during === undefined ? [] : resting.map((state) => ({ from: during, to: state })))];
});

const OF_STORAGES = ofTable(STORAGE_TRANSITIONS);

const PAGES: readonly States[] = [
  {
    title: 'Tasks',
    file: 'server/src/platform/tasks/queue.ts',
    first: 'NEW',
    last: ['FINISHED', 'ERROR'],
    steps: ofTable(TASK_TRANSITIONS),
  },
  {
    title: 'Load balancers and their parts',
    file: 'server/src/features/load-balancers/model.ts',
    first: 'PENDING_CREATE',
    last: ['DELETED'],
    steps: ofTable(TRANSITIONS),
  },
  {
    title: 'Instances',
    file: 'server/src/features/instances/model.ts',
    first: 'BUILD',
    last: ['ACTIVE', 'SHUTOFF', 'SUSPENDED', 'ERROR'],
    steps: [
      { from: 'BUILD', to: 'ACTIVE' },
      { from: 'BUILD', to: 'ERROR' },
      ...resting.map((from) => ({ from, to: 'ERROR', by: 'lost in the cloud' })),
      ...instanceSteps,
    ],
  },
  {
    title: 'Volumes',
    file: 'server/src/features/volumes/model.ts',
    first: 'creating',
    last: ['deleting'],
    steps: [
      { from: 'creating', to: 'available' },
      { from: 'creating', to: 'in-use' },
      { from: 'available', to: 'error', by: 'lost in the cloud' },
      { from: 'in-use', to: 'error', by: 'lost in the cloud' },
      { from: 'error', to: 'available', by: 'well again' },
      { from: 'error', to: 'in-use', by: 'well again' },
      ...volumeSteps,
    ],
  },
  {
    title: 'Snapshots of volumes',
    file: 'server/src/features/volumes/snapshots/model.ts',
    first: 'creating',
    last: ['creating', 'deleting'],
    steps: ofTable(SNAPSHOT_TRANSITIONS),
  },
  {
    title: 'Images',
    file: 'server/src/features/images/model.ts',
    first: 'saving',
    last: ['saving', 'pending_delete'],
    steps: ofTable(IMAGE_TRANSITIONS),
  },
  {
    title: 'Kubernetes clusters',
    file: 'server/src/features/kubernetes/states.ts',
    first: 'Provisioning',
    last: ['Deleting'],
    steps: ofTable(CLUSTER_TRANSITIONS),
  },
  {
    title: 'Pools of clusters',
    file: 'server/src/features/kubernetes/states.ts',
    first: 'ACTIVE',
    last: ['DELETING'],
    steps: ofTable(POOL_TRANSITIONS),
  },
  {
    title: 'Nodes of clusters',
    file: 'server/src/features/kubernetes/states.ts',
    first: 'BUILDING',
    last: ['REMOVING'],
    steps: ofTable(NODE_TRANSITIONS),
  },
  {
    title: 'PostgreSQL clusters',
    file: 'server/src/features/managed-postgresql/model.ts',
    first: 'PREPARING',
    last: ['PREPARING', 'DELETING'],
    steps: ofTable(POSTGRESQL_TRANSITIONS),
  },
  {
    title: 'Phases of PostgreSQL clusters',
    file: 'server/src/features/managed-postgresql/phases.ts',
    first: 'creating',
    last: ['creating', 'restoring', 'deleting'],
    steps: ofTable(PHASE_TRANSITIONS),
  },
  {
    title: 'Object storages',
    file: 'server/src/features/object-storage/model.ts',
    first: 'creating',
    last: ['creating', 'deleted'],
    steps: OF_STORAGES,
  },
  {
    title: 'SFTP storages',
    file: 'server/src/features/object-storage/model.ts',
    first: 'creating',
    last: ['creating', 'deleted'],
    // They cannot be restored.
    steps: OF_STORAGES.filter(
      ({ from, to }) => (from !== 'deleted' && to !== 'deleted') || from === 'deleting',
    ),
  },
  {
    title: 'Floating IPs',
    file: 'server/src/features/networking/floating-ips/model.ts',
    first: 'DOWN',
    last: ['DOWN', 'ACTIVE'],
    steps: ofTable(FLOATING_IP_TRANSITIONS),
  },
  {
    title: 'Secrets',
    file: 'server/src/features/secrets/store.ts',
    first: 'PENDING_CREATE',
    last: ['PENDING_CREATE', 'PENDING_DELETE'],
    steps: ofTable(SECRET_TRANSITIONS),
  },
  {
    title: 'Deliveries of webhooks',
    file: 'server/src/features/webhooks/model.ts',
    first: 'WAITING',
    last: [],
    steps: ofTable(DELIVERY_TRANSITIONS),
  },
  {
    title: 'Projects',
    file: 'server/src/features/projects/store.ts',
    first: 'ACTIVE',
    last: ['DELETED'],
    steps: ofTable(PROJECT_TRANSITIONS),
  },
  {
    title: 'Requests for other limits',
    file: 'server/src/features/quotas/limits-request-store.ts',
    first: 'in progress',
    last: ['done', 'rejected'],
    steps: ofTable(REQUEST_TRANSITIONS),
  },
];

test('docs/states.md draws the states that the code has', () => {
  const intro = `# States

Which states a resource has, and which may follow which. \`npm run generate\` draws this page from the code. A state that
lasts ends with a request. A temporary state (\`PENDING_…\`, \`…ing\`) ends with its task.
`;
  expectGolden(path.join(ROOT, 'docs', 'states.md'), [intro, ...PAGES.map(diagramOf)].join('\n'));
});

test('every state can be reached', () => {
  const lost = PAGES.flatMap(({ title, first, steps }) => {
    const reached = new Set([first, ...steps.map(({ to }) => to)]);
    return steps.filter(({ from }) => !reached.has(from)).map(({ from }) => `${title}: ${from}`);
  });
  expect(lost).toEqual([]);
});
