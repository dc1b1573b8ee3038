import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseMessage } from '../test-support/collector.ts';
import { syslogMessage } from './rfc5424.ts';

const source = { topic: 'web', loadBalancerId: 'lb-id', loadBalancerName: 'shop', address: '127.77.0.1' };
const REQUEST =
  '127.0.0.1:5 [21/Nov/2026:03:19:07.875] listener-0a-b~ pool-1-http/member-2 0/0/1/2/3 200 49 - - ---- "GET /x HTTP/1.1"';

test('a line of HAProxy keeps its time and says whose it is', () => {
  expect(parseMessage(syslogMessage(`2026-11-21T03:19:07.876315+00:00 ${REQUEST}`, source))).toEqual({
    priority: 134,
    time: '2026-11-21T03:19:07.876315+00:00',
    host: '127.77.0.1',
    appName: 'web',
    data: new Map([
      ['topic', 'web'],
      ['load_balancer_id', 'lb-id'],
      ['load_balancer_name', 'shop'],
      ['listener_id', '0a-b'],
    ]),
    text: REQUEST,
  });
});

test('a line without a time, or about no listener, is sent as well', () => {
  const { time, data, text } = parseMessage(syslogMessage('Proxy started. listener-1 "GET', source));
  expect([time, data.has('listener_id'), text]).toEqual(['-', false, 'Proxy started. listener-1 "GET']);
});

test('whatever a topic, a name and a line are, the collector reads them as they were', () => {
  const plain = fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => !/[\r\n\0]/.test(text));
  const nasty = fc.constantFrom(
    '"] evil="1',
    '\\',
    ']',
    '" x="',
    '<13>1 - - - - - - ',
    '5 abc',
    'ü'.repeat(40),
  );
  fc.assert(
    fc.property(fc.oneof(plain, nasty), fc.oneof(plain, nasty), plain, (topic, name, line) => {
      const message = syslogMessage(line, { ...source, topic, loadBalancerName: name });
      const { data, text, appName } = parseMessage(message);
      expect(data.get('topic')).toBe(topic);
      expect(data.get('load_balancer_name')).toBe(name);
      expect(text).toBe(line);
      expect(appName).toMatch(/^[\x21-\x7e]{1,48}$/);
    }),
  );
});

test('a line break in a name cannot begin another message', () => {
  const message = syslogMessage('x', { ...source, topic: 'a\n<13>1 b', loadBalancerName: 'c\r\nd' });
  expect(message).not.toMatch(/[\r\n]/);
});
