import { expect, test } from 'vitest';
import type { MemberHealth } from '../../../features/load-balancers/port.ts';
import type { MemberSeen } from './health.ts';
import { LastChecks } from './last-checks.ts';
import type { StatLine } from './show-stat.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

const seen = (health: MemberHealth, check: string | null, changedAgo = 0): MemberSeen => ({
  health,
  checked: true,
  line: { check, changedAgo } as StatLine,
});

const look = (checks: LastChecks, one: MemberSeen, now = NOW) =>
  checks.update(new Map([['m', one.health]]), new Map([['m', one]]), new Map(), now).get('m');

test('the time since when is that of the first look, as long as the member stays down', () => {
  const checks = new LastChecks();
  const since = '2026-01-01T11:59:30.000Z';
  expect(look(checks, seen('ERROR', 'refused', 30))).toEqual({ reason: 'refused', since });
  expect(look(checks, seen('ERROR', 'timeout', 31), NOW + 1_900)).toEqual({ reason: 'timeout', since });
  const back = { reason: 'passed', since: '2026-01-01T12:00:03.000Z' };
  expect(look(checks, seen('ONLINE', 'passed', 0), NOW + 3_000)).toEqual(back);
});

test('a process that does not know why yet does not wipe out what was known', () => {
  const checks = new LastChecks();
  look(checks, seen('ERROR', 'refused', 30));
  expect(look(checks, seen('ERROR', null, 0), NOW + 60_000)?.reason).toBe('refused');
  expect(look(checks, seen('ERROR', 'refu', 0), NOW + 61_000)?.reason).toBe('refused');
  const fresh = look(new LastChecks(), seen('ERROR', null, 5));
  expect(fresh?.reason).toBe('It has not been checked again since the load balancer was changed.');
  expect(look(new LastChecks(), seen('ONLINE', null))).toBeUndefined();
});

test('a member that nothing checks has no last check', () => {
  expect(look(new LastChecks(), { ...seen('NO_MONITOR', null), checked: false })).toBeUndefined();
});

test('what a member says of itself is made printable and short', () => {
  const said = `bad\u0000\u001b[31m${'\u{1f525}'.repeat(400)}`;
  const reason = look(new LastChecks(), seen('ERROR', said))?.reason ?? '';
  expect(reason.startsWith('bad  [31m\u{1f525}')).toBe(true);
  expect([...reason]).toHaveLength(300);
  expect(reason.isWellFormed()).toBe(true);
});
