import { expect, test } from 'vitest';
import { isChanged, isTouched } from '../../portal/src/api/touched.ts';

/** What of a page is asked for anew when something is heard of a task. */

const ID = '0192f5d0-0000-7000-8000-000000001234';
const OTHER = '0192f5d0-0000-7000-8000-00000000abcd';
const task = (task_type: string, state: 'RUNNING' | 'FINISHED' = 'FINISHED', id = ID) => ({
  task_type,
  state,
  project_id: 1,
  region_id: 2,
  created_resources: null,
  data: { resource_id: id },
});
const query = (path: string, more: Readonly<Record<string, unknown>> = {}) => [
  'get',
  path,
  { params: { path: { project_id: 1, region_id: 2, ...more } } },
];
const VOLUMES = '/cloud/v1/volumes/{project_id}/{region_id}';
const NETWORKS = '/cloud/v1/networks/{project_id}/{region_id}';
const volume = (volume_id: string) => query(`${VOLUMES}/{volume_id}`, { volume_id });

test('the lists and the thing itself that a task is about, and no other of its kind', () => {
  expect(isTouched(query(VOLUMES), task('extend_volume'))).toBe(true);
  expect(isTouched(volume(ID), task('extend_volume'))).toBe(true);
  expect(isTouched(volume(OTHER), task('extend_volume'))).toBe(false);
  expect(isTouched(query(NETWORKS), task('extend_volume'))).toBe(false);
});

test('other kinds that it changes, whatever their ids are', () => {
  expect(isTouched(volume(OTHER), task('delete_vm'))).toBe(true);
  expect(isTouched(query('/cloud/v1/ports/{project_id}/{region_id}'), task('create_loadbalancer'))).toBe(
    true,
  );
});

test('nothing of another project or region', () => {
  expect(isTouched(query(VOLUMES, { region_id: 1 }), task('create_volume'))).toBe(false);
  expect(isTouched(query(VOLUMES, { project_id: 3 }), task('create_volume'))).toBe(false);
});

test('lists of tasks always; what is counted, when it has ended', () => {
  expect(isTouched(['get', '/cloud/v1/tasks', {}], task('create_vm', 'RUNNING'))).toBe(true);
  expect(isTouched(['get', '/cloud/v2/client_quotas', {}], task('create_vm', 'RUNNING'))).toBe(false);
  expect(isTouched(['get', '/cloud/v2/client_quotas', {}], task('create_vm'))).toBe(true);
});

test('what changes without a task: a call as its task would, and health where it is shown', () => {
  const change = { project_id: 1, region_id: 2, noun: null, id: null };
  const moved = { ...change, action: 'health', noun: 'loadbalancer', id: ID };
  const balancer = (load_balancer_id: string) =>
    query('/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', { load_balancer_id });
  const map = ['get', '/virga/v1/map/{project_id}', { params: { path: { project_id: 1 } } }];
  expect(isChanged(volume(OTHER), { ...change, action: 'unknown' })).toBe(true);
  expect(isChanged(query(VOLUMES), { ...change, action: 'update_volume' })).toBe(true);
  expect(isChanged(query(NETWORKS), { ...change, action: 'update_volume' })).toBe(false);
  expect(isChanged(map, moved)).toBe(true);
  expect(isChanged(balancer(ID), moved)).toBe(true);
  expect(isChanged(balancer(OTHER), moved)).toBe(false);
  expect(isChanged(['get', '/cloud/v1/tasks', {}], moved)).toBe(false);
  // What is counted all the time is asked for where one of them is looked at.
  const counted = { ...moved, action: 'counters' };
  expect(isChanged(balancer(ID), counted)).toBe(true);
  expect(isChanged(map, counted)).toBe(false);
});

test('what a task of an unknown type changes is everything of its place', () => {
  expect(isTouched(query(VOLUMES), task('polish_the_oven'))).toBe(true);
  expect(isTouched(query(VOLUMES, { region_id: 1 }), task('polish_the_oven'))).toBe(false);
});
