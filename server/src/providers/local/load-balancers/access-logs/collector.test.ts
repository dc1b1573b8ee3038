import { expect, test } from 'vitest';
import { collectorName, parseLogCollector } from './collector.ts';

test.each([
  ['syslog+tcp://logs.example:6514', { transport: 'tcp', host: 'logs.example', port: 6514 }],
  ['syslog+udp://10.0.0.7', { transport: 'udp', host: '10.0.0.7', port: 514 }],
  ['syslog+udp://[2001:db8::1]:1514/', { transport: 'udp', host: '2001:db8::1', port: 1514 }],
])('%s is a collector', (text, collector) => {
  expect(parseLogCollector(text)).toEqual(collector);
});

test.each([
  'logs.example:514',
  'http://logs.example:514',
  'syslog://logs.example:514',
  'syslog+tcp://',
  'syslog+tcp://logs.example:0',
  'syslog+tcp://logs.example:65536',
  'syslog+tcp://user:password@logs.example:514',
  'syslog+tcp://logs.example:514/topic',
  'syslog+tcp://2001:db8::1:514',
])('%s is none', (text) => {
  expect(parseLogCollector(text)).toBeNull();
});

test('one collector has one name, however it is spelt', () => {
  const names = ['syslog+udp://[::1]', 'syslog+udp://[::1]:514/'].map((text) => {
    const collector = parseLogCollector(text);
    return collector && collectorName(collector);
  });
  expect(names).toEqual(['syslog+udp://[::1]:514', 'syslog+udp://[::1]:514']);
});
