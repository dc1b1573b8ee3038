import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cableFault, run } from '../../../../../test/harness/cable.ts';
import { Segment } from '../../../../../test/harness/machines.ts';
import { isElsewhere } from './conflict.ts';

const fault = cableFault();
const CASES = [
  { version: 'IPv4', own: '198.18.76.40/32', there: '198.18.76.40' },
  { version: 'IPv6', own: 'fd76::1:40/128', there: 'fd76::1:40' },
];

describe.skipIf(fault !== undefined)(
  `addresses of another machine${fault ? `: skipped, ${fault}` : ''}`,
  () => {
    let segment: Segment;
    beforeAll(() => {
      segment = new Segment(['other'], '198.18.76');
    });
    afterAll(() => segment?.remove());

    test.each(CASES)('one of $version that both have is seen, and no other', async ({ own, there }) => {
      const lasting = own.includes(':') ? ['nodad'] : [];
      run('ip', 'addr', 'add', own, 'dev', segment.bridge, ...lasting);
      expect(await isElsewhere([there], segment.bridge)).toBe(false);
      segment.keep('other', there);
      expect(await isElsewhere([there], segment.bridge)).toBe(true);
      expect(await isElsewhere([], segment.bridge)).toBeUndefined();
    });

    test('through a device that is down, or not there, nobody is asked', async () => {
      const there = ['198.18.76.41', 'fd76::1:41'];
      expect(await isElsewhere(there, 'not-there0')).toBeUndefined();
      run('ip', 'link', 'set', segment.bridge, 'down');
      expect(await isElsewhere(there, segment.bridge)).toBeUndefined();
      run('ip', 'link', 'set', segment.bridge, 'up');
    });
  },
);
