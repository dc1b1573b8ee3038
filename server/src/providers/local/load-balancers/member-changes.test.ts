import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RenderedBackend, RenderedServer } from './config/rendering.ts';
import { planMemberChanges } from './member-changes.ts';

const server = fc.record({
  weight: fc.integer({ min: 0, max: 256 }),
  enabled: fc.boolean(),
  checked: fc.boolean(),
});
const servers = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), server);

/** A backend with these servers; what is checked is a matter of the whole backend. */
function backend(
  byName: Record<string, Pick<RenderedServer, 'weight' | 'enabled'>>,
  checked: boolean,
): RenderedBackend {
  return {
    name: 'pool',
    poolId: 'pool',
    enabled: true,
    remembers: false,
    dynamicCookieKey: null,
    servers: Object.entries(byName).map(([name, { weight, enabled }]) => ({
      name,
      memberId: name,
      address: 'ipv4@10.0.0.1:80',
      weight,
      enabled,
      checked,
      probed: false,
      options: checked ? ['check'] : [],
    })),
  };
}

/** What a process serves after these commands, as the management manual describes them. */
function obey(
  before: RenderedBackend,
  commands: readonly string[],
): Map<string, { weight: number; up: boolean }> {
  const state = new Map(
    before.servers.map(({ name, weight, enabled }) => [`pool/${name}`, { weight, up: enabled }]),
  );
  for (const command of commands) {
    const added = /^add server (\S+) \S+ weight (\d+)/.exec(command);
    const changed = /^(?:set|enable) server (\S+)(?: (weight|state) (\S+))?$/.exec(command);
    if (added?.[1]) {
      expect(state.has(added[1])).toBe(false);
      state.set(added[1], { weight: Number(added[2]), up: false });
    } else if (changed?.[1]) {
      const known = state.get(changed[1]);
      if (!known) throw new Error(`no such server: ${command}`);
      if (changed[2] === 'weight') known.weight = Number(changed[3]);
      else known.up = changed[3] === undefined || changed[3] === 'ready';
    }
  }
  return state;
}

test('the commands lead from any set of members to any other', () => {
  fc.assert(
    fc.property(servers, servers, fc.boolean(), (from, to, checked) => {
      const [before, after] = [backend(from, checked), backend(to, checked)];
      const changes = planMemberChanges([before], [after]);
      if (!changes) throw new Error('members alone never need a reload');
      const state = obey(before, changes.commands);
      for (const name of changes.departed) {
        expect(state.get(name)?.up).toBe(false);
        state.delete(name);
      }
      const desired = after.servers.map(
        ({ name, weight, enabled }) => [`pool/${name}`, { weight, up: enabled }] as const,
      );
      expect(state).toEqual(new Map(desired));
    }),
  );
});

test('what no command changes in a running process needs a reload', () => {
  const one = backend({ a: { weight: 1, enabled: true } }, false);
  expect(planMemberChanges([one], [backend({ a: { weight: 1, enabled: true } }, true)])).toBeNull();
  expect(planMemberChanges([one], [])).toBeNull();
  expect(planMemberChanges([one], [{ ...one, name: 'other' }])).toBeNull();
  const moved = { ...one, servers: one.servers.map((each) => ({ ...each, address: 'ipv4@10.0.0.2:80' })) };
  expect(planMemberChanges([one], [moved])).toBeNull();
});
