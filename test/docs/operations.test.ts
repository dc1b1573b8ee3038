import { expect, test } from 'vitest';
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
