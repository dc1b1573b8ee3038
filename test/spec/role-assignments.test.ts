import { beforeAll, expect, test } from 'vitest';
import { allows, type Role } from '../../server/src/platform/auth/roles.ts';
import { nameOf, pathOf, type Spec } from '../generated/operations.ts';
import { PASSWORD, people } from '../harness/people.ts';
import { type Reply, startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Roles in an account and in single projects, beside the one of the membership. They count at once. */

const server = shared(() => startTestServer({ worker: false }));
const they = people(server);
let userId: number;
let access: string;
let otherProject: number;

const EMAIL = 'member@virga.test';
const PATH = '/cloud/v1/users/assignments';

beforeAll(async () => {
  userId = await they.join(EMAIL, 'Users');
  ({ access } = await they.signIn(EMAIL));
  const project = await server.call('POST', '/cloud/v1/projects', { body: { name: 'second' } });
  otherProject = project.body.id;
});

const assign = (role: string, project_id: number | null = null, more: object = {}) =>
  server.call('POST', PATH, { body: { user_id: userId, role, project_id, ...more } });
const remove = (id: number) => server.call('DELETE', `${PATH}/${id}`);
const as = (method: string, path: string, body?: unknown): Promise<Reply> =>
  they.bearer(method, path, access, body);

test('the roles that can be assigned are listed, in all and for a project', async () => {
  const all = await server.call('GET', '/cloud/v1/users/roles', { as: 'Users' });
  expect(all.body.results).toContainEqual({ role: 'ClientAdministrator', scope: 'client' });
  const one = await server.call('GET', '/cloud/v1/users/roles?project_id=1');
  expect(one.body.results.map(({ role }: { role: string }) => role)).toEqual([
    'ProjectAdministrator',
    'User',
    'Observer',
  ]);
});

test('a role is assigned, listed, changed and removed', async () => {
  const created = await assign('User', 1, { client_id: 1 });
  expect(created).toMatchObject({
    status: 200,
    body: { user_id: userId, role: 'User', client_id: 1, project_id: 1, assigned_by: 1, updated_at: null },
  });
  const { id } = created.body;
  for (const query of ['', '?project_id=1', `?user_id=${userId}`]) {
    expect((await server.call('GET', `${PATH}${query}`)).body).toEqual({ count: 1, results: [created.body] });
  }
  expect((await server.call('GET', `${PATH}?project_id=${otherProject}`)).body.count).toBe(0);
  expect((await assign('Observer', 1)).status, 'one role in one place').toBe(409);
  const body = { user_id: userId, role: 'Observer', project_id: 1 };
  const changed = await server.call('PATCH', `${PATH}/${id}`, { body });
  expect(changed.body).toEqual({ assignment_id: id });
  const { body: listed } = await server.call('GET', PATH);
  expect(listed.results[0]).toMatchObject({ role: 'Observer', updated_at: expect.any(String) });
  expect((await remove(id)).body).toEqual({ assignment_id: id });
  expect((await remove(id)).status).toBe(404);
});

test('what cannot be assigned is refused, and says why', async () => {
  const faults = async (reply: Promise<Reply>) => {
    const { status, body } = await reply;
    return [status, Object.keys(body.invalid_fields ?? {})];
  };
  expect(await faults(assign('InternalNetworkOnlyUser'))).toEqual([400, ['role']]);
  expect(await faults(assign('ProjectAdministrator'))).toEqual([400, ['role']]);
  expect(await faults(assign('ClientAdministrator', 1))).toEqual([400, ['role']]);
  expect(await faults(assign('User', 2)), "another account's project").toEqual([400, ['project_id']]);
  expect(await faults(assign('User', 1, { user_id: 2 })), 'no member').toEqual([400, ['user_id']]);
  expect(await faults(assign('User', 1, { client_id: 2 }))).toEqual([400, ['client_id']]);
});

/** Operations that name a project, and which not every member may use. */
const guarded = () =>
  server.app.routes.flatMap(({ spec }) => {
    const { access } = spec;
    const named = spec.path.includes('{project_id}') && typeof access === 'string';
    return named && !allows('Users', access) ? [{ spec, access }] : [];
  });

/** Those of them that are refused for the role, with the project filled in. */
async function refused(projectId: number): Promise<string[]> {
  const names = await Promise.all(
    guarded().map(async ({ spec }) => {
      const path = pathOf(spec, { project_id: projectId, region_id: 2 });
      const { status, body } = await as(spec.method, path, bodyOf(spec));
      return status === 403 && typeof body.detail === 'string' ? [nameOf(spec)] : [];
    }),
  );
  return names.flat().sort();
}
const bodyOf = (spec: Spec) => (spec.body === undefined ? undefined : { never: 'valid' });
const closedTo = (role: Role) =>
  guarded()
    .filter(({ access }) => !allows(role, access))
    .map(({ spec }) => nameOf(spec))
    .sort();

test.each([
  ['Observer', 'Users'],
  ['User', 'Engineers'],
] as const)('%s in a project opens what it should there, and nothing elsewhere', async (role, means) => {
  const { body } = await assign(role, 1);
  expect(await refused(1)).toEqual(closedTo(means));
  expect(await refused(otherProject)).toEqual(closedTo('Users'));
  await remove(body.id);
  expect(await refused(1)).toEqual(closedTo('Users'));
});

test('a session says in which projects the person may do more, as the calls there do', async () => {
  const session = async () => (await as('GET', '/virga/v1/session')).body;
  expect(await session()).toMatchObject({ role: 'Users', project_roles: [] });
  const { body: below } = await assign('Observer', 1);
  const { body: above } = await assign('User', otherProject);
  const more = [{ project_id: otherProject, role: 'Engineers' }];
  expect(await session()).toMatchObject({ role: 'Users', project_roles: more });
  // What is the same everywhere is not said of a project, and no project takes anything away.
  const { body: everywhere } = await assign('User');
  expect(await session()).toMatchObject({ role: 'Engineers', project_roles: [] });
  await server.call('PATCH', `${PATH}/${above.id}`, {
    body: { user_id: userId, role: 'ProjectAdministrator', project_id: otherProject },
  });
  expect((await session()).project_roles).toEqual([{ project_id: otherProject, role: 'Administrators' }]);
  const token = await server.call('GET', '/virga/v1/session', { as: 'Engineers' });
  expect(token.body).toMatchObject({ role: 'Engineers', project_roles: [] });
  for (const { id } of [below, above, everywhere]) await remove(id);
  expect(await session()).toMatchObject({ role: 'Users', project_roles: [] });
});

test('an administrator of a project renames that one, and administers nothing else', async () => {
  const { body } = await assign('ProjectAdministrator', otherProject);
  const rename = (id: number) => as('PATCH', `/cloud/v1/projects/${id}`, { name: `renamed-${id}` });
  expect((await rename(otherProject)).status).toBe(200);
  expect((await rename(1)).status).toBe(403);
  expect((await as('GET', '/iam/users')).status).toBe(403);
  expect((await as('GET', PATH)).status).toBe(403);
  await remove(body.id);
  expect((await rename(otherProject)).status).toBe(403);
});

test('an administrator of the account by assignment is one until it is removed, tokens included', async () => {
  const { body } = await assign('ClientAdministrator');
  expect((await as('GET', '/iam/users')).status).toBe(200);
  const token = await as('POST', '/iam/v2/clients/1/tokens', {
    name: 'mine',
    exp_date: null,
    client_user: { role: { name: 'Administrators' } },
  });
  expect(token.status).toBe(200);
  const admins = await server.call('GET', `/cloud/v1/users?user_id=${userId}`);
  expect(admins.body.results).toMatchObject([{ id: userId, email: EMAIL, activated: true, is_admin: true }]);
  await remove(body.id);
  expect((await as('GET', '/iam/users')).status).toBe(403);
  const tokens = await server.call('GET', '/iam/v2/clients/1/tokens');
  expect(tokens.body.map(({ id }: { id: number }) => id)).not.toContain(token.body.id);
  const { body: users } = await server.call('GET', '/cloud/v1/users');
  expect(users.results.map((user: { is_admin: boolean }) => user.is_admin)).toEqual([true, false]);
});

test('an API token keeps the role that it was made with, and so does what it opens', async () => {
  const { body } = await assign('ClientAdministrator');
  const made = await as('POST', '/iam/v2/clients/1/tokens', { name: 'r', exp_date: null, client_user: {} });
  const opened = await server.call('GET', '/iam/auth/jwt/clients/1/login', { token: made.body.token });
  expect((await they.bearer('GET', '/iam/users', opened.body.access)).status).toBe(403);
  await remove(body.id);
});

test('goes with the membership', async () => {
  const id = await they.join('leaver@virga.test', 'Users');
  const leaver = await they.signIn('leaver@virga.test');
  const session = () => they.bearer('GET', '/virga/v1/session', leaver.access);
  await assign('User', 1, { user_id: id });
  expect((await session()).body.project_roles).toEqual([{ project_id: 1, role: 'Engineers' }]);
  await server.call('DELETE', `/iam/clients/1/client-users/${id}`);
  expect((await server.call('GET', `${PATH}?user_id=${id}`)).body.count).toBe(0);
  expect((await session()).status).toBe(401);
});

test.each(['somebody new', 'an account of another client'])(
  'a role of %s who is invited counts once they accept, and goes when they decline',
  async (who) => {
    const email = who === 'somebody new' ? 'new@virga.test' : 'known@virga.test';
    if (who !== 'somebody new') {
      const body = { email, user_role: { name: 'Users' }, password: PASSWORD };
      await server.call('POST', '/virga/v1/clients/2/users', { as: 'operator', body });
    }
    const invited = (await they.invite(email)).body.user_id;
    const created = await assign('ProjectAdministrator', 1, { user_id: invited });
    expect(created).toMatchObject({ status: 200, body: { user_id: invited, project_id: 1 } });
    const { id } = created.body;
    expect((await assign('User', 1, { user_id: invited })).status, 'one role in one place').toBe(409);
    expect((await server.call('GET', `${PATH}?user_id=${invited}`)).body.results).toEqual([created.body]);
    const token = await they.mailedToken(email);
    if (who === 'somebody new') {
      await server.call('POST', '/virga/v1/invitations/decline', { body: { token } });
      expect((await server.call('GET', `${PATH}?user_id=${invited}`)).body.count).toBe(0);
      return;
    }
    const accepted = await server.call('POST', '/virga/v1/invitations/accept', { body: { token } });
    expect(accepted.status).toBe(200);
    const [moved] = (await server.call('GET', `${PATH}?user_id=${accepted.body.user_id}`)).body.results;
    expect(moved).toEqual({ ...created.body, user_id: accepted.body.user_id });
    expect((await assign('User', 1, { user_id: invited })).status, 'the id of then still names them').toBe(
      409,
    );
    await remove(id);
  },
);
