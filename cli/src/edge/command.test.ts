import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nginxConfig } from '../../../edge/src/nginx-config.ts';
import { readEdgeSettings } from '../../../edge/src/settings.ts';

const run = promisify(execFile);
const VIRGA = path.join(import.meta.dirname, '..', '..', 'bin', 'virga.mjs');

const virga = (args: readonly string[], settings: Record<string, string>) =>
  run(process.execPath, [VIRGA, ...args], {
    env: { PATH: process.env.PATH, VIRGA_DATA_DIR: '/nowhere', ...settings },
  });

test('virga edge nginx-config prints the configuration of its settings and nothing else', async () => {
  const settings = { VIRGA_VIDEO_SECRETS: 'newer-secret,older-secret', VIRGA_EDGE_ORIGIN: '/srv/video' };
  const { stdout, stderr } = await virga(['edge', 'nginx-config', '--run-dir', '/run/virga'], settings);
  expect(stdout).toBe(nginxConfig(readEdgeSettings(settings), { runDir: '/run/virga' }));
  expect(stdout).toContain('unix:/run/virga/virga-edge-secret-2.sock');
  expect(stderr).toBe('');
});

test('without a secret it says in one line which setting is missing', async () => {
  await expect(virga(['edge', 'nginx-config'], {})).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^VIRGA_VIDEO_SECRETS must be set.*\n$/),
  });
});
