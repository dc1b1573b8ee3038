import { expect, test } from 'vitest';
import { startTestServer } from '../../../../test/harness/server.ts';
import { shared } from '../../../../test/harness/shared.ts';

/** Where no mail is sent, whoever invites somebody gets the link to pass on. */

const server = shared(startTestServer);
const invite = (body: object, as?: 'Engineers') =>
  server.call('POST', '/virga/v1/invitations', { body, ...(as ? { as } : {}) });

test('the link opens the invitation', async () => {
  const { status, body } = await invite({ email: 'cleo@virga.test', user_role: { name: 'Users' } });
  expect([status, body.email, body.status]).toEqual([200, 'cleo@virga.test', 'invited']);
  const [, token] = /\/invitation\/open#(.+)$/.exec(body.link) ?? [];
  const shown = await server.call('POST', '/virga/v1/invitations/show', { body: { token } });
  expect(shown.body).toMatchObject({ email: 'cleo@virga.test', user_role: { name: 'Users' } });
});

test('it is for administrators alone, and refuses what other invitations do', async () => {
  const person = { email: 'dora@virga.test', user_role: { name: 'Users' } };
  expect((await invite(person, 'Engineers')).status).toBe(403);
  expect((await invite({ ...person, user_role: { name: 'Bakers' } })).status).toBe(400);
  expect((await invite({ ...person, email: 'cleo@virga.test' })).status).toBe(400);
});
