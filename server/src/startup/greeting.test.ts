import { expect, test } from 'vitest';
import { type Greeting, greeting } from './greeting.ts';

const FIRST_RUN: Greeting = {
  url: 'http://127.0.0.1:8080',
  pid: 1,
  node: 'one',
  dataDir: '/data',
  location: { node: 'one', dataDir: '/data' },
  credentials: {
    email: 'admin@virga.internal',
    password: 'a-password',
    apiToken: 'an-api-token',
    operatorToken: 'an-operator-token',
    signInToken: 'a-link',
  },
  isTerminal: true,
};
const SECRETS = /a-password|a-link|an-api-token|an-operator-token/;

test('a person is shown the tokens of the first run', () => {
  const text = greeting(FIRST_RUN).join('\n');
  for (const secret of [
    'a-password',
    'http://127.0.0.1:8080/sign-in#a-link',
    'an-api-token',
    'an-operator-token',
  ])
    expect(text).toContain(secret);
});

test('a start prints six lines at most', () => {
  const more = 'More can be installed.';
  expect(
    greeting({ ...FIRST_RUN, more })
      .join('\n')
      .split('\n').length,
  ).toBeLessThanOrEqual(6);
  expect(greeting({ ...FIRST_RUN, more, url: undefined, probes: 'http://x' }).length).toBeLessThanOrEqual(6);
});

test('a log says where they are, and no more', () => {
  const text = greeting({ ...FIRST_RUN, isTerminal: false }).join('\n');
  expect(text).not.toMatch(SECRETS);
  expect(text).toContain('Its tokens are in /data/credentials.');
});

test('later runs, and nodes without an API, say where they are', () => {
  const later = greeting({ ...FIRST_RUN, credentials: undefined }).join('\n');
  expect(later).toContain('The tokens of the first run are in /data/credentials.');
  const worker = greeting({ ...FIRST_RUN, url: undefined }).join('\n');
  expect(worker).not.toMatch(SECRETS);
  expect(worker).toContain('/data/credentials');
});

test('another node says on which one they are; one that knows nothing of a first run says nothing', () => {
  const other = { ...FIRST_RUN, credentials: undefined, node: 'two', dataDir: '/own' };
  expect(greeting(other).join('\n')).toContain(
    'The tokens of the first run are on one, in /data/credentials.',
  );
  expect(greeting({ ...other, location: undefined }).join('\n')).not.toMatch(/first run|token/);
});
