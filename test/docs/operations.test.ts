import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SERVER_FLAGS } from '../../scripts/lib/server-flags.mjs';
import { blocksOf } from '../harness/documents.ts';

/** docs/operations.md, as far as it is copied as it stands. */

test('each unit for systemd installs nothing, and leaves the load balancers running on a restart', () => {
  const units = blocksOf('docs/operations.md', 'ini').map((unit) => unit.split('\n'));
  expect(units.length).toBeGreaterThan(0);
  for (const unit of units) {
    const starts = unit.filter((line) => line.startsWith('Exec'));
    expect(starts).toEqual([expect.stringMatching(/^ExecStart=\/usr\/bin\/node .*server\/dist\/main\.js$/)]);
    expect(unit).toEqual(expect.arrayContaining(['KillMode=mixed', 'SendSIGKILL=no', 'Restart=always']));
  }
});

test('Node runs the server with the same flags, however it is started', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(scripts.start).toBe(`node ${SERVER_FLAGS.join(' ')} scripts/start.mjs`);
  const lines = ['sh', 'ini'].flatMap((kind) => blocksOf('docs/operations.md', kind).join('\n').split('\n'));
  const starts = lines.filter((line) => line.includes('server/dist/main.js'));
  expect(starts.length).toBeGreaterThan(1);
  for (const start of starts) expect(start).toContain(`node ${SERVER_FLAGS.join(' ')} server/dist/main.js`);
});
