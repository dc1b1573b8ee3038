import { beforeAll, describe, expect, test } from 'vitest';
import { pathOf } from '../generated/operations.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';

/** Every list is {count, results}: `limit` 1 to 1000, by default 1000, `offset` from 0. The lists are those
 *  that are served, found by the shape of their answer. */

const server = shared(() => startTestServer({ worker: false }));

/** Lists with a default of their own; the specification does not name them. */
const OTHER_DEFAULTS: Readonly<Record<string, number>> = {
  '/cloud/v1/tasks/{project_id}/{region_id}/active': 10,
  '/cloud/v1/ssh_keys/{project_id}': 10,
  '/cloud/v1/ports/{project_id}/{region_id}': 100,
  '/cloud/v1/securitygroups/{project_id}/{region_id}': 10,
  '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}': 10,
};
/** Lists that can be asked for their count alone. */
const FROM_ZERO: readonly string[] = ['/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}'];

function lists() {
  return server.app.routes.filter(({ spec }) => {
    const { count, results } = spec.response?.properties ?? {};
    return (
      spec.method === 'GET' &&
      spec.path.startsWith('/cloud/') &&
      count &&
      results &&
      spec.query?.properties?.limit
    );
  });
}

const IDS = { project_id: 1, region_id: 2 };

describe('every list of the cloud', () => {
  test('those that the specification names are among them', () => {
    expect(lists().map(({ spec }) => spec.path)).toEqual(
      expect.arrayContaining([
        '/cloud/v1/projects',
        '/cloud/v1/regions',
        '/cloud/v1/instances/{project_id}/{region_id}',
        '/cloud/v1/tasks',
        '/cloud/v1/loadbalancers/{project_id}/{region_id}',
        '/cloud/v3/inference/{project_id}/secrets',
      ]),
    );
  });

  test('accepts 1 to 1000 at once, 1000 unless asked, from the offset 0', () => {
    for (const { spec } of lists()) {
      const { limit, offset } = spec.query?.properties ?? {};
      expect(limit, spec.path).toMatchObject({
        type: 'integer',
        maximum: 1000,
        default: OTHER_DEFAULTS[spec.path] ?? 1000,
      });
      const least = FROM_ZERO.includes(spec.path) ? 0 : 1;
      expect(limit.minimum ?? limit.exclusiveMinimum + 1, spec.path).toBe(least);
      expect(offset, spec.path).toMatchObject({ type: 'integer', minimum: 0, default: 0 });
    }
  });

  test('refuses a limit of 0, -1, 1001 or x and an offset of -1, naming the parameter', async () => {
    for (const { spec } of lists()) {
      const zero = FROM_ZERO.includes(spec.path) ? [] : ['limit=0'];
      for (const wrong of [...zero, 'limit=-1', 'limit=1001', 'limit=x', 'offset=-1', 'offset=x']) {
        const { status, body } = await server.call('GET', `${pathOf(spec, IDS)}?${wrong}`);
        expect(status, `${spec.path}?${wrong}`).toBe(400);
        expect(Object.keys(body.invalid_fields)).toEqual([wrong.split('=')[0]]);
      }
    }
  });

  test('accepts both edges, answers {count, results}, and nothing beyond the end', async () => {
    for (const { spec } of lists()) {
      for (const query of ['limit=1', 'limit=1000', 'offset=0', `offset=${Number.MAX_SAFE_INTEGER}`]) {
        const { status, body } = await server.call('GET', `${pathOf(spec, IDS)}?${query}`);
        // What a list is part of (a cluster, a pool) may not be there.
        if (status === 404) continue;
        expect(status, `${spec.path}?${query}`).toBe(200);
        expect(Object.keys(body).sort()).toEqual(['count', 'results']);
        expect(body.results.length).toBeLessThanOrEqual(query === 'limit=1' ? 1 : body.count);
        if (query.startsWith('offset=9')) expect(body.results).toEqual([]);
      }
    }
  });
});

describe('walking through all pages', () => {
  beforeAll(async () => {
    for (let n = 0; n < 6; n++) {
      await server.call('POST', '/cloud/v1/projects', { body: { name: `project ${n}` } });
    }
  });

  test.each([1, 2, 3, 7, 8, 1000])(
    'by %i: count stays the total, and every item comes once',
    async (limit) => {
      const found: number[] = [];
      let count = Number.POSITIVE_INFINITY;
      for (let offset = 0; offset < count; offset += limit) {
        const { body } = await server.call('GET', `/cloud/v1/projects?limit=${limit}&offset=${offset}`);
        expect(body.results.length).toBeLessThanOrEqual(limit);
        count = body.count;
        found.push(...body.results.map((each: { id: number }) => each.id));
      }
      expect(count).toBe(7);
      expect(new Set(found).size).toBe(7);
    },
  );

  test('count is what matches, not what there is', async () => {
    const { body } = await server.call('GET', '/cloud/v1/projects?name=project%203&limit=1');
    expect(body).toMatchObject({ count: 1, results: [{ name: 'project 3' }] });
  });
});
