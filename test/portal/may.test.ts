import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { apiCallsOf, createVirgaClient } from '../../client/src/index.ts';
import { type Caller, NOBODY, roleIn } from '../../server/src/platform/auth/caller.ts';
import { allows, lackOf, ROLES } from '../../server/src/platform/auth/roles.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** The portal knows before a call what the API would say of the caller's role. */

/** The portal's modules are checked with the types of a browser, which tests have not. */
const may = await import(new URL('../../portal/src/api/may.ts', import.meta.url).href);

const server = shared(() => startTestServer({ worker: false }));

/** Everybody who can be signed in: each role, and each role in project 1. */
const callers = ROLES.flatMap((role) =>
  [undefined, ...ROLES].map((here): Caller => {
    const projectRoles = new Map(here === undefined ? [] : [[1, here] as const]);
    return { ...NOBODY, role, projectRoles };
  }),
);

test('of every operation the portal says what the API says, for every role in the account and in a project', () => {
  const prepare = apiCallsOf(createVirgaClient()) as unknown as (...call: readonly unknown[]) => object;
  let refused = 0;
  for (const { spec } of server.app.routes.filter((each) => each.spec.tag !== 'Internal')) {
    const { access, method } = spec;
    // What needs a token instead is sent with the token.
    if (typeof access === 'object' || access === 'operate' || access === 'report') continue;
    for (const project of spec.path.includes('{project_id}') ? [1, 2] : [undefined]) {
      const params = project === undefined ? {} : { path: { project_id: project } };
      const call = prepare(method.toLowerCase(), spec.path, { params });
      for (const caller of callers) {
        const role = roleIn(caller, project);
        const words = lackOf(role, access, true).replace('This call needs', 'This needs');
        const refusal = `${words}. An administrator of the account can change your role`;
        const said = may.lackOf(whoIs(caller), call);
        expect(said, `${method} ${spec.path}`).toBe(allows(role, access) ? undefined : refusal);
        if (said) refused += 1;
      }
    }
  }
  expect(refused).toBeGreaterThan(500);
});

/** A caller as the session describes them: with the projects in which they may do more. */
const whoIs = (caller: Caller) => {
  const more = [...(caller.projectRoles ?? [])].filter(([id]) => roleIn(caller, id) !== caller.role);
  return { role: caller.role, projectRoles: new Map(more) };
};

/** What everybody may do, about themselves. */
const OF_ONESELF = ['account/enrol.tsx', 'account/second-factors.tsx'];

test('pages write through prepared calls alone, which know the role that they need', () => {
  const sources = path.join(import.meta.dirname, '..', '..', 'portal', 'src');
  const files = readdirSync(path.join(sources, 'pages'), { recursive: true, encoding: 'utf8' });
  const direct = files
    .filter((file) => /\.tsx?$/.test(file) && !OF_ONESELF.includes(file))
    .filter((file) =>
      /\.(POST|PUT|PATCH|DELETE)\(/.test(readFileSync(path.join(sources, 'pages', file), 'utf8')),
    );
  expect(files.length).toBeGreaterThan(90);
  expect(direct, 'use apiCall, and give it to what is pressed').toEqual([]);
});

test('the operator’s token makes its calls, whatever the role of who is signed in', () => {
  const call = { role: 'operator', project: undefined };
  expect(may.lackOf({ role: 'Users', projectRoles: new Map() }, call)).toBeUndefined();
});
