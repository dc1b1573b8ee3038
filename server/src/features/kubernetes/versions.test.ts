import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mayBecome, upgradeVersions, versionsOffered } from './versions.ts';

test('there are at least three minors, each with several patches', () => {
  const patches = new Map<string, number>();
  for (const version of versionsOffered()) {
    const minor = version.split('.')[1] ?? '';
    patches.set(minor, (patches.get(minor) ?? 0) + 1);
  }
  expect(patches.size).toBeGreaterThanOrEqual(3);
  expect([...patches.values()].every((count) => count >= 2)).toBe(true);
});

test.each([
  ['v1.24.9', 'v1.24.8', true],
  ['v1.24.9', 'v1.24.7', false],
  ['v1.24.9', 'v1.24.9', false],
  ['v1.24.9', 'v1.24.10', true],
  ['v1.24.9', 'v1.24.15', true],
  ['v1.24.9', 'v1.25.0', true],
  ['v1.24.9', 'v1.26.0', false],
  ['v1.24.0', 'v1.23.9', false],
  ['v1.24.0', 'v2.25.0', false],
])('%s may become %s: %s', (from, to, allowed) => {
  expect(mayBecome(from, to)).toBe(allowed);
});

test('of a half-upgraded cluster every part must be able to get there', () => {
  const table = ['v1.1.1', 'v1.1.2', 'v1.2.1', 'v1.2.2', 'v1.3.1'];
  expect(upgradeVersions(['v1.1.2'], table)).toEqual(['v1.1.1', 'v1.2.1', 'v1.2.2']);
  // The control plane is at v1.2.1, nodes still at v1.1.2: on to v1.2.1 or its patches, nowhere else.
  expect(upgradeVersions(['v1.2.1', 'v1.1.2'], table)).toEqual(['v1.2.1', 'v1.2.2']);
  expect(upgradeVersions(['v1.1.1', 'v1.1.2'], table)).toEqual(['v1.1.1', 'v1.1.2', 'v1.2.1', 'v1.2.2']);
});

test('whatever upgrades fail half-way one after the other, the last can always be asked for again', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...versionsOffered()),
      fc.array(fc.record({ choice: fc.nat(20), replaced: fc.nat(3) }), { minLength: 1, maxLength: 8 }),
      (start, attempts) => {
        const nodes = [start, start, start];
        // As a cluster shows it: its version is the last one that all of it had.
        let [version, controlPlane] = [start, start];
        for (const { choice, replaced } of attempts) {
          const permitted = upgradeVersions([controlPlane, version, ...nodes]);
          const target = permitted[choice % Math.max(1, permitted.length)];
          if (target === undefined) return;
          controlPlane = target;
          nodes.splice(0, replaced, ...Array.from({ length: replaced }, () => target));
          if (nodes.every((node) => node === target)) version = target;
          else expect(upgradeVersions([controlPlane, version, ...nodes])).toContain(target);
        }
      },
    ),
  );
});
