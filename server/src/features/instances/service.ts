import { Invalid } from '../../kernel/errors.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { parseTags } from '../../platform/http/tags.ts';
import type { InstanceListQuery } from './schema.ts';
import * as store from './store.ts';
import { viewInstance } from './view.ts';

/** @throws Invalid for a `tag_key_value` that is no JSON object of tags */
export async function listInstances(ctx: RegionContext, query: InstanceListQuery) {
  const { project, region } = ctx;
  const tags = tagFilter(query.tag_key_value);
  const scope = { projectId: project.id, regionId: region.id };
  const { count, results } = await store.listInstances(ctx.db, scope, query, tags);
  return {
    count,
    results: results.map((row) => viewInstance(row, region.name, query.with_interfaces_name)),
  };
}

function tagFilter(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const isMap =
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string');
  if (!isMap) throw new Invalid({ tag_key_value: ['must be a JSON object of strings'] }, 'query');
  return parseTags(value as Record<string, string>, 'tag_key_value', 'query');
}
