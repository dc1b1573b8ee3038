import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PASSWORD, people } from '../harness/people.ts';
import { NOWHERE } from '../harness/project.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** A role that is given, changed or removed counts with the very next request of the user's sessions, on every
 *  node: each node has answered the same user a moment before, so that nothing that it remembers may count. */

let server: TestServer;
let nodes: readonly FastifyInstance[];
let userId: number;
let otherProject: number;
let access: string;
/** A browser's session, with its token against forgery. */
let browser: Readonly<Record<string, string>>;

const EMAIL = 'climber@virga.test';
const ASSIGNMENTS = '/cloud/v1/users/assignments';

beforeAll(async () => {
  server = await startTestServer({ worker: false });
  nodes = [server.api, await server.anotherNode()];
  const they = people(server);
  userId = await they.join(EMAIL, 'Users');
  ({ access } = await they.signIn(EMAIL));
  const opened = await server.call('POST', '/virga/v1/session', {
    body: { username: EMAIL, password: PASSWORD },
  });
  const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
  browser = { cookie, 'x-csrf-token': opened.body.csrf_token };
  const project = await server.call('POST', '/cloud/v1/projects', { body: { name: 'second' } });
  otherProject = project.body.id;
});

afterAll(() => server.close());

type Scope = 'the account' | 'a project' | 'another project';
const PLACES: readonly Scope[] = ['the account', 'a project', 'another project'];
const projectOf = (scope: Scope) =>
  ({ 'the account': null, 'a project': 1, 'another project': otherProject })[scope];

/** Calls that need the role, and an answer when nobody has refused it for the role. */
const PROBES = {
  'administers the account': () => ['GET', '/iam/users', 200],
  'writes in a project': () => ['DELETE', `/cloud/v1/networks/1/2/${NOWHERE}`, 404],
  'writes in another project': () => ['DELETE', `/cloud/v1/networks/${otherProject}/2/${NOWHERE}`, 404],
  'administers a project': () => ['PATCH', '/cloud/v1/projects/1', 200],
  'administers another project': () => ['PATCH', `/cloud/v1/projects/${otherProject}`, 200],
} as const satisfies Record<string, () => readonly [string, string, number]>;
type Ability = keyof typeof PROBES;

const ABLE: Readonly<Record<string, Readonly<Record<Scope, readonly Ability[]>>>> = {
  Observer: { 'the account': [], 'a project': [], 'another project': [] },
  User: {
    'the account': ['writes in a project', 'writes in another project'],
    'a project': ['writes in a project'],
    'another project': ['writes in another project'],
  },
  ProjectAdministrator: {
    'the account': [],
    'a project': ['writes in a project', 'administers a project'],
    'another project': ['writes in another project', 'administers another project'],
  },
  ClientAdministrator: {
    'the account': Object.keys(PROBES) as Ability[],
    'a project': [],
    'another project': [],
  },
};

/** What the user can do, by node and session: the first call of each is the next one after the change. */
async function abilities(): Promise<readonly (readonly Ability[])[]> {
  const sessions = [{ authorization: `Bearer ${access}` }, browser];
  const seen: Ability[][] = [];
  for (const node of nodes) {
    for (const headers of sessions) {
      const able: Ability[] = [];
      for (const [ability, probe] of Object.entries(PROBES)) {
        const [method, url, allowed] = probe();
        const payload = method === 'PATCH' ? { payload: {} } : {};
        const { statusCode } = await node.inject({ method, url, headers, ...payload });
        expect([allowed, 403], `${method} ${url}`).toContain(statusCode);
        if (statusCode === allowed) able.push(ability as Ability);
      }
      seen.push(able);
    }
  }
  return seen;
}

const everywhere = (able: readonly Ability[]) => nodes.flatMap(() => [able, able]);
const rolesFor = (scope: Scope) =>
  scope === 'the account'
    ? ['Observer', 'User', 'ClientAdministrator']
    : ['Observer', 'User', 'ProjectAdministrator'];

describe.each(PLACES)('in %s', (scope) => {
  test('each role counts with the next request when it is given, and when it is removed', async () => {
    for (const role of rolesFor(scope)) {
      expect(await abilities()).toEqual(everywhere([]));
      const body = { user_id: userId, role, project_id: projectOf(scope) };
      const { body: made } = await server.call('POST', ASSIGNMENTS, { body });
      expect(await abilities(), role).toEqual(everywhere(ABLE[role]?.[scope] ?? []));
      await server.call('DELETE', `${ASSIGNMENTS}/${made.id}`);
    }
    expect(await abilities()).toEqual(everywhere([]));
  });

  test('each role counts with the next request when it becomes another one, more or less', async () => {
    const roles = rolesFor(scope);
    const steps = [...roles, ...roles.toReversed(), ...roles.slice(0, 1), ...roles.slice(-1)];
    const of = (role: string | undefined) => ({ user_id: userId, role, project_id: projectOf(scope) });
    const { body: made } = await server.call('POST', ASSIGNMENTS, { body: of(roles[0]) });
    for (const role of steps) {
      const changed = await server.call('PATCH', `${ASSIGNMENTS}/${made.id}`, { body: of(role) });
      expect(changed.status).toBe(200);
      expect(await abilities(), role).toEqual(everywhere(ABLE[role]?.[scope] ?? []));
    }
    await server.call('DELETE', `${ASSIGNMENTS}/${made.id}`);
    expect(await abilities()).toEqual(everywhere([]));
  });
});

test('a role that moves from one project to another counts there, and no longer here', async () => {
  const of = (project_id: number | null) => ({ user_id: userId, role: 'User', project_id });
  const { body: made } = await server.call('POST', ASSIGNMENTS, { body: of(1) });
  for (const scope of ['another project', 'the account', 'a project'] as const) {
    await server.call('PATCH', `${ASSIGNMENTS}/${made.id}`, { body: of(projectOf(scope)) });
    expect(await abilities(), scope).toEqual(everywhere(ABLE.User?.[scope] ?? []));
  }
  await server.call('DELETE', `${ASSIGNMENTS}/${made.id}`);
});

test('the role of the membership counts with the next request, up and down', async () => {
  const all = Object.keys(PROBES) as Ability[];
  const writes = ABLE.User?.['the account'] ?? [];
  for (const [role, able] of [
    ['Engineers', writes],
    ['Administrators', all],
    ['Engineers', writes],
    ['Users', []],
    ['Administrators', all],
    ['Users', []],
  ] as const) {
    const body = { user_role: { name: role } };
    const changed = await server.call('PUT', `/iam/clients/1/client-users/${userId}`, { body });
    expect(changed.status, JSON.stringify(changed.body)).toBe(204);
    expect(await abilities(), role).toEqual(everywhere(able));
  }
});
