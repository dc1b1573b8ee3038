import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** Where no mail is sent, somebody has to pass the link on: who invites, if nobody else has an account here; else the
 *  operator. The portal's story of people opens such a link. */

const server = shared(startTestServer);
const invite = (body: object, as?: 'Engineers') =>
  server.call('POST', '/virga/v1/invitations', { body, ...(as ? { as } : {}) });

test('beside other clients the link is for the operator alone', async () => {
  const { status, body } = await invite({ email: 'cleo@virga.test', user_role: { name: 'Users' } });
  expect([status, body.email, body.status, body.link]).toEqual([200, 'cleo@virga.test', 'invited', null]);
});

test('it is for administrators alone, and refuses what other invitations do', async () => {
  const person = { email: 'dora@virga.test', user_role: { name: 'Users' } };
  expect((await invite(person, 'Engineers')).status).toBe(403);
  expect((await invite({ ...person, user_role: { name: 'Bakers' } })).status).toBe(400);
  expect((await invite({ ...person, email: 'cleo@virga.test' })).status).toBe(400);
});
