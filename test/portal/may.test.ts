import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiCallsOf, createVirgaClient } from '../../client/src/index.ts';
import { type Caller, NOBODY, roleIn } from '../../server/src/platform/auth/caller.ts';
import { allows, lackOf, ROLES } from '../../server/src/platform/auth/roles.ts';
import { startTestServer, type TestServer } from '../harness/server.ts';

/** The portal knows before a call what the API would say of the caller's role. */

/** The portal's modules are checked with the types of a browser, which tests have not. */
const may = await import(new URL('../../console/src/api/may.ts', import.meta.url).href);

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ worker: false });
});
afterAll(() => server.close());

/** Everybody who can be signed in: each role, and each role in project 1. */
const callers = ROLES.flatMap((role) =>
  [undefined, ...ROLES].map((here): Caller => {
    const projectRoles = new Map(here === undefined ? [] : [[1, here] as const]);
    return { ...NOBODY, role, projectRoles };
  }),
);

test('of every operation the portal says what the API says, for every role in the account and in a project', () => {
  const prepare = apiCallsOf(createVirgaClient()) as never as (
    method: string,
    path: string,
    options: object,
  ) => object;
  let refused = 0;
  for (const { spec } of server.app.routes.filter((each) => each.spec.tag !== 'Internal')) {
    const { access, method, path } = spec;
    // What needs a token instead is sent with the token.
    if (typeof access === 'object' || access === 'operate' || access === 'report') continue;
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 1]);
    for (const project of path.includes('{project_id}') ? [1, 2] : [1]) {
      const params = { path: { ...Object.fromEntries(names), project_id: project } };
      const call = prepare(method.toLowerCase(), path, path.includes('{project_id}') ? { params } : {});
      for (const caller of callers) {
        const role = roleIn(caller, path.includes('{project_id}') ? project : undefined);
        const more = [...(caller.projectRoles ?? [])].filter(([id]) => roleIn(caller, id) !== caller.role);
        const said = may.lackOf({ role: caller.role, projectRoles: new Map(more) }, call);
        const words = lackOf(role, access, true).replace('This call needs', 'This needs');
        const change = '. An administrator of the account can change your role';
        expect(said, `${method} ${path} in ${project}`).toBe(
          allows(role, access) ? undefined : `${words}${change}`,
        );
        if (said) refused += 1;
      }
    }
  }
  expect(refused).toBeGreaterThan(500);
});

test('the operator’s token makes its calls, whatever the role of who is signed in', () => {
  const call = { role: 'operator', project: undefined };
  expect(may.lackOf({ role: 'Users', projectRoles: new Map() }, call)).toBeUndefined();
});
