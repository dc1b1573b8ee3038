import { expect, test } from 'vitest';
import { hostnameOf, userDataOf } from './new-server.ts';
import { nextOf, type Server, type ServerGoal } from './server-steps.ts';

/** Which call brings a server of Nova to what it is to be. */

const SERVER: Server = {
  id: 'one',
  status: 'ACTIVE',
  'OS-EXT-STS:task_state': null,
  flavor: { original_name: 'small' },
  'os-extended-volumes:volumes_attached': [{ id: 'disk' }],
};
const GOAL: ServerGoal = {
  flavorId: '1',
  flavorName: 'small',
  power: 'running',
  restarts: false,
  isSoft: false,
  hasRevived: false,
  ports: ['port'],
  volumes: ['disk'],
};
const next = (goal: Partial<ServerGoal>, server: Partial<Server> = {}, ports = ['port']) =>
  nextOf(Object.assign({}, GOAL, goal), Object.assign({}, SERVER, server), ports);
const bodyOf = (goal: Partial<ServerGoal>, server: Partial<Server> = {}) => next(goal, server)?.body;

test('a server that is as desired needs no call, and one that Nova works on gets none', () => {
  expect(next({})).toBeNull();
  expect(next({ power: 'stopped' }, { 'OS-EXT-STS:task_state': 'powering-off' })?.method).toBeNull();
  expect(next({}, { status: 'BUILD' })?.method).toBeNull();
});

test.each([
  ['running', 'SHUTOFF', { 'os-start': null }],
  ['running', 'SUSPENDED', { resume: null }],
  ['running', 'PAUSED', { unpause: null }],
  ['stopped', 'ACTIVE', { 'os-stop': null }],
  ['stopped', 'SUSPENDED', { resume: null }],
  ['suspended', 'ACTIVE', { suspend: null }],
  ['suspended', 'SHUTOFF', { 'os-start': null }],
] as const)('one that is to be %s and is %s is told so', (power, status, body) => {
  expect(bodyOf({ power }, { status })).toEqual(body);
});

test('a restart is soft where that was asked for and it runs, and a start where it does not', () => {
  expect(bodyOf({ restarts: true, isSoft: true })).toEqual({ reboot: { type: 'SOFT' } });
  expect(bodyOf({ restarts: true })).toEqual({ reboot: { type: 'HARD' } });
  expect(next({ restarts: true }, { status: 'SHUTOFF' })).toMatchObject({
    body: { 'os-start': null },
    restarts: true,
  });
});

test('another size is confirmed once it is there, and taken back when it is no longer desired', () => {
  expect(bodyOf({ flavorName: 'big', flavorId: '2' })).toEqual({ resize: { flavorRef: '2' } });
  const resized = { status: 'VERIFY_RESIZE', flavor: { original_name: 'big' } };
  expect(bodyOf({ flavorName: 'big' }, resized)).toEqual({ confirmResize: null });
  expect(bodyOf({}, resized)).toEqual({ revertResize: null });
});

test('interfaces and volumes come and go one at a time, before it is told what to do', () => {
  expect(next({ power: 'stopped' }, {}, ['port', 'other'])).toMatchObject({
    method: 'DELETE',
    path: '/os-interface/other',
  });
  expect(next({ ports: ['port', 'more'] })?.body).toEqual({ interfaceAttachment: { port_id: 'more' } });
  expect(next({ volumes: [] })).toMatchObject({ method: 'DELETE', path: '/os-volume_attachments/disk' });
  expect(bodyOf({ volumes: ['disk', 'data'] })).toEqual({
    volumeAttachment: { volumeId: 'data', delete_on_termination: false },
  });
});

test('one in ERROR is restarted once, and then it is said why it is', () => {
  const broken = { status: 'ERROR', fault: { message: 'the host is on fire' } };
  expect(next({}, broken)).toMatchObject({ body: { reboot: { type: 'HARD' } }, revives: true });
  expect(() => next({ hasRevived: true }, broken)).toThrow('the host is on fire');
});

test('names become such as Nova takes, and a password is a configuration of cloud-init', () => {
  expect(hostnameOf('web (blue).example', 'x')).toBe('web-blue-example');
  expect(hostnameOf('ü', '12345678-0000')).toBe('instance-12345678');
  expect(hostnameOf('a'.repeat(80), 'x')).toHaveLength(63);
  const first = { hostname: 'a', sshPublicKey: null, userData: 'YQ ==', username: null, password: null };
  expect(userDataOf(first)).toBe('YQ==');
  const text = (more: object) =>
    Buffer.from(userDataOf(Object.assign({}, first, more)) ?? '', 'base64').toString();
  expect(text({ password: 'it"s' })).toContain('"password":"it\\"s"');
  expect(text({ password: 'x', username: 'me' })).toMatch(/^#cloud-config\n.*"name":"me"/);
});
