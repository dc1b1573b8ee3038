import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';

const RULE = { direction: 'ingress', protocol: 'tcp', ports: [80, 443] };

test('stands for what is desired, in whatever order its fields are named', () => {
  const digest = digestOf({ id: 'a', rules: [RULE] });
  expect(digestOf({ rules: [{ ports: [80, 443], protocol: 'tcp', direction: 'ingress' }], id: 'a' })).toBe(
    digest,
  );
  expect(
    digestOf({ id: 'a', rules: [{ direction: 'ingress', protocol: 'tcp', ports: [443, 80] }] }),
  ).not.toBe(digest);
  expect(digestOf({ id: 'a', rules: [{ direction: 'ingress', protocol: null, ports: [80, 443] }] })).not.toBe(
    digest,
  );
});
