import { newSignInToken } from '../../../server/src/features/iam/index.ts';
import { randomIds } from '../../../server/src/kernel/ids.ts';
import { people } from '../../harness/people.ts';
import type { Hook, Hooks, World } from './world.ts';

/** Who the examples of accounts are about. */

const PASSWORD = 'correct horse battery staple';

/** @returns the key of a user of client 1, who is new */
async function user({ server }: World, email: string): Promise<string> {
  const body = { email, user_role: { name: 'Engineers' }, password: PASSWORD };
  const reply = await server.call('POST', '/virga/v1/clients/1/users', { as: 'operator', body });
  if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
  return String(reply.body.user_id);
}

const anna = async (world: World): Promise<Hook> => {
  await user(world, 'anna@example.com');
  return {};
};

const invited = async ({ server }: World): Promise<Hook> => {
  const they = people(server);
  await they.invite('ben@example.com');
  return { body: { token: await they.mailedToken('ben@example.com') } };
};

/** The password of the user whose token calls. */
const own = async ({ server }: World): Promise<Hook> => {
  await people(server).setPassword(1, PASSWORD);
  return {};
};

export const ACCOUNT_HOOKS: Hooks = {
  // Both versions have the same example, and an account has each name once.
  'POST /storage/provisioning/v2/storage': async () => ({ body: { name: 'deliveries-3' } }),
  'POST /storage/provisioning/v1/key': async () => ({ body: { name: 'workstation-1' } }),
  'POST /iam/auth/jwt/login': anna,
  'POST /iam/auth/jwt/refresh': async (world) => {
    await anna(world);
    const { refresh } = await people(world.server).signIn('anna@example.com', PASSWORD);
    return { body: { refresh } };
  },
  'POST /iam/auth/password/forgot': anna,
  'POST /virga/v1/password': async (world) => {
    await anna(world);
    await world.call('POST', '/iam/auth/password/forgot', { email: 'anna@example.com' });
    return { body: { token: await people(world.server).mailedToken('anna@example.com') } };
  },
  'PUT /iam/users/{userId}/password': own,
  'POST /virga/v1/session': anna,
  'POST /virga/v1/session/link': async ({ server: { db, clock } }) => ({
    body: { token: await db.transaction((tx) => newSignInToken(tx, { ids: randomIds(), clock }, 1)) },
  }),
  'PUT /iam/users/{userId}/email': own,
  'POST /virga/v1/email': async (world) => {
    await own(world);
    const change = { new_email: 'anna@example.com', password: PASSWORD };
    await world.call('PUT', '/iam/users/1/email', change);
    return { body: { token: await people(world.server).mailedToken('anna@example.com') } };
  },
  'PUT /iam/clients/{clientId}/client-users/{userId}': async (world) => ({
    path: { userId: await user(world, 'ben@example.com') },
  }),
  'POST /virga/v1/invitations/show': invited,
  'POST /virga/v1/invitations/accept': invited,
  'POST /virga/v1/invitations/decline': invited,
  'PATCH /cloud/v1/users/assignments/{assignment_id}': async (world) => {
    const user_id = Number(await user(world, 'ben@example.com'));
    const { body } = await world.call('POST', '/cloud/v1/users/assignments', {
      user_id,
      role: 'User',
      client_id: 1,
      project_id: 1,
    });
    return { path: { assignment_id: String(body.id) }, body: { user_id } };
  },
};
