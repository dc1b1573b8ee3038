import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configurationOf, writeConfigurations } from './openstack/configuration.mjs';
import { endProcesses, environmentOf, processesOf } from './openstack/processes.mjs';
import { accessOf } from './openstack/stack.mjs';

const folder = () => mkdtempSync(path.join(os.tmpdir(), 'virga-openstack-'));

test('its processes are found with their children, which may have no environment, and no others are ended', async () => {
  const [mine, other] = [folder(), folder()];
  const start = (state: string) =>
    spawn('sh', ['-c', 'env -i sleep 600 & wait'], { env: { ...process.env, ...environmentOf(state) } });
  const [parent, stranger] = [start(mine), start(other)];
  await expect.poll(() => processesOf(mine).length).toBe(2);
  expect(processesOf(mine)).toContain(parent.pid);
  await endProcesses(mine);
  expect(processesOf(mine)).toEqual([]);
  expect(processesOf(other)).toContain(stranger.pid);
  await endProcesses(other);
});

test('only its owner can read what has passwords, and nothing that does not run can be signed in to', () => {
  const state = folder();
  const setup = { state, python: '/python', password: 'a'.repeat(48) };
  writeConfigurations(setup);
  for (const service of ['keystone', 'neutron', 'octavia-api', 'octavia-worker']) {
    const file = configurationOf(setup, service);
    expect(readFileSync(file, 'utf8')).toContain(setup.password);
    expect(statSync(file).mode & 0o077).toBe(0);
  }
  expect(accessOf(state)).toBeUndefined();
});
