import { expect, test } from 'vitest';
import { createLog } from '../../kernel/log.ts';
import { DatabaseSilent, isDatabaseLost, Outage } from './outage.ts';

test('while the database is lost, what others say of it is for those who look closely', () => {
  const lines: { level: number; msg: string }[] = [];
  const outage = new Outage();
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLog('debug', { quiet: (logged) => outage.explains(logged), destination }).child({ a: 1 });
  const consequence = () => {
    log.warn('a job failed and will run again: connect ECONNREFUSED 127.0.0.1:5432');
    log.error({ err: new Error('Connection terminated unexpectedly') }, 'request refused');
  };
  const loud = () => lines.filter(({ level }) => level >= 40).length;
  consequence();
  expect(loud(), 'without an outage all is said').toBe(2);
  expect([outage.begin(), outage.begin()], 'the first sign alone is said').toEqual([true, false]);
  consequence();
  expect(loud()).toBe(2);
  log.warn('something else');
  expect(loud()).toBe(3);
  expect(outage.end()).toBeTypeOf('number');
  expect(outage.end()).toBeUndefined();
  consequence();
  expect(loud()).toBe(5);
  expect(lines, 'nothing is lost to those who look closely').toHaveLength(7);
});

test.each([
  [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), true],
  [Object.assign(new Error('shutting down'), { code: '57P01' }), true],
  [new Error('Connection terminated unexpectedly'), true],
  [new Error('Query read timeout'), true],
  [Object.assign(new Error('duplicate key'), { code: '23505' }), false],
  [new DatabaseSilent(), true],
  [Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), false],
  [new Error('a fault of our own'), false],
])('%s', (error, lost) => {
  expect(isDatabaseLost(error)).toBe(lost);
});

test.each(['ENOTFOUND', 'EAI_AGAIN', 'ENETDOWN', 'EHOSTDOWN', 'ECONNABORTED'])('%s', (code) => {
  const error = Object.assign(new Error(`connect ${code}`), { code });
  expect(isDatabaseLost(error)).toBe(true);
  const outage = new Outage();
  outage.begin();
  expect(outage.explains([`a job failed and will run again: ${error.message}`])).toBe(true);
});

test.each([
  ['25006', 'cannot execute INSERT in a read-only transaction'],
  ['0A000', 'cannot access temporary or unlogged relations during recovery'],
])('a replica that was not promoted yet is a lost database: %s %s', (code, message) => {
  expect(isDatabaseLost(Object.assign(new Error(message), { code }))).toBe(true);
});
