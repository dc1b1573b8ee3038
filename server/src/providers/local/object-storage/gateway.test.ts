import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { processesIn } from '../../../../../test/harness/leftovers.ts';
import { Gateway } from './gateway.ts';
import { makeFolders, pathsOf } from './paths.ts';

const AT = { address: '127.0.79.9', tls: null };
let root: string;

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'virga-gateway-'));
  chmodSync(root, 0o711);
});

afterEach(() => {
  for (const pid of processesIn(root)) process.kill(pid, 'SIGKILL');
  rmSync(root, { recursive: true });
});

test('what came up although its start was killed is adopted, replaced and ended', async () => {
  const paths = pathsOf(root, '1');
  makeFolders(paths);
  await new Gateway(paths).start(AT);
  const [first] = processesIn(root);
  rmSync(paths.gatewayPid);
  expect(new Gateway(paths).observe(AT)).toBe('current');
  await new Gateway(paths).start(AT);
  const [second, ...more] = processesIn(root);
  expect([second, more]).toEqual([expect.any(Number), []]);
  expect(second).not.toBe(first);
  rmSync(paths.gatewayPid);
  await new Gateway(paths).stop();
  expect(processesIn(root)).toEqual([]);
});
