import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node } from 'web-tree-sitter';
import { terraform } from '../../portal/src/ui/terraform.ts';
import { MAPS, RESOURCES } from '../../portal/src/ui/terraform-resources.ts';
import { hclParser } from './hcl.ts';

/** What forms show for the infrastructure tool is read by a parser of its language, and has names that there are. */

const parser = hclParser();

/** The arguments that stand in a text, those of blocks with the block's name. */
function argumentsOf(text: string): readonly string[] {
  const root = parser.parse(text);
  expect(root.hasError, text).toBe(false);
  const found: string[] = [];
  const walk = (node: Node, block: string) => {
    for (const child of node.namedChildren) {
      if (child === null) continue;
      const name = child.namedChildren[0]?.text ?? '';
      if (child.type === 'attribute') found.push(`${block}${name}`);
      else walk(child, child.type === 'block' && name !== 'resource' ? `${block}${name}.` : block);
    }
  };
  walk(root, '');
  return found;
}

/** Calls of the API of which forms show a resource. */
const CALLS: Readonly<Record<string, string>> = {
  gcore_floatingip: '/cloud/v1/floatingips/{project_id}/{region_id}',
  gcore_lblistener: '/cloud/v1/lblisteners/{project_id}/{region_id}',
  gcore_lbpool: '/cloud/v1/lbpools/{project_id}/{region_id}',
  gcore_keypair: '/cloud/v1/ssh_keys/{project_id}',
  gcore_network: '/cloud/v1/networks/{project_id}/{region_id}',
  gcore_registry_credential: '/cloud/v3/inference/{project_id}/registry_credentials',
  gcore_reservedfixedip: '/cloud/v1/reserved_fixed_ips/{project_id}/{region_id}',
  gcore_router: '/cloud/v1/routers/{project_id}/{region_id}',
  gcore_securitygroup: '/cloud/v2/security_groups/{project_id}/{region_id}',
  gcore_servergroup: '/cloud/v1/servergroups/{project_id}/{region_id}',
  gcore_snapshot: '/cloud/v1/snapshots/{project_id}/{region_id}',
  gcore_subnet: '/cloud/v1/subnets/{project_id}/{region_id}',
  gcore_volume: '/cloud/v1/volumes/{project_id}/{region_id}',
};
const scope = { project: 1, region: 2 };
const ofScope = ['project_id', 'region_id'];

interface Body {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
const document = JSON.parse(
  readFileSync(new URL('../golden/golden/openapi.json', import.meta.url), 'utf8'),
) as {
  paths: Record<string, { post?: { requestBody?: { content: { 'application/json': Body } } } }>;
};
const examplesOf = (path: string): readonly object[] => {
  const body = document.paths[path]?.post?.requestBody?.content['application/json'];
  const several = Object.values(body?.examples ?? {}).map(({ value }) => value);
  return [...(body?.example ? [body.example] : []), ...several] as object[];
};

describe.each(Object.entries(CALLS))('%s', (type, path) => {
  test('of each example of the call is valid, and has arguments that the resource has', () => {
    const examples = examplesOf(path);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      const known = [...ofScope, ...MAPS, ...(RESOURCES[type] ?? [])];
      for (const name of argumentsOf(terraform(type, 'it', scope, { ...example })))
        expect(known, name).toContain(name);
    }
  });
});

test('what the API calls otherwise has the name of the resource, and what there is not is said', () => {
  const text = terraform('gcore_volume', 'data', scope, {
    name: 'data',
    tags: { env: 'test' },
    lifecycle_policy_ids: [1],
  });
  expect(text).toContain('metadata_map = {');
  expect(text).toContain('# The resource has no argument for: lifecycle_policy_ids');
  expect(argumentsOf(text)).toEqual([...ofScope, 'name', 'metadata_map']);
});

test('no name, whatever is in it, breaks out of its quotes', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: fc.constantFrom('"', '\\', '$', '%', '{', '}', '\n', '\b', '\f', 'a', ' ', '#') }),
  );
  fc.assert(
    fc.property(anything, anything, anything, (name, key, value) => {
      fc.pre(name !== '');
      const text = terraform('gcore_volume', name, scope, { name, tags: { [key]: value } });
      expect(argumentsOf(text)).toEqual([...ofScope, 'name', 'metadata_map']);
    }),
    { numRuns: 500 },
  );
});
