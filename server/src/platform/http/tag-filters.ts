import { Type } from '@sinclair/typebox';
import { BadRequest, Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { type Sql, sql } from '../database/sql.ts';
import { readJson } from './json.ts';
import { parseTags, TAG_KEY, validTagKey } from './tags.ts';

/** Characters of a JSON object of tags in a query. */
export const LONGEST_TAG_FILTER = 8192;

/** Query parameters by which lists are filtered by tags. `parseTagFilters` checks them, because the pattern of
 *  keys holds after surrounding white space is stripped. */
export const tagFilters = (things: string) => ({
  tag_key: Type.Optional(
    Type.Array(Type.String({ minLength: TAG_KEY.minLength, maxLength: TAG_KEY.maxLength }), {
      description: `Repeat it to ask for ${things} that have all of these tag keys.`,
    }),
  ),
  tag_key_value: Type.Optional(
    Type.String({
      description: `A JSON object of tags; ${things} that have all of these pairs.`,
      contentMediaType: 'application/json',
      maxLength: LONGEST_TAG_FILTER,
    }),
  ),
  metadata_k: Type.Optional(
    Type.Array(Type.String({ minLength: TAG_KEY.minLength, maxLength: TAG_KEY.maxLength }), {
      deprecated: true,
      description: 'What older clients call tag_key.',
    }),
  ),
  metadata_kv: Type.Optional(
    Type.String({
      deprecated: true,
      description: 'What older clients call tag_key_value.',
      contentMediaType: 'application/json',
      maxLength: LONGEST_TAG_FILTER,
    }),
  ),
});

export interface TagFilters {
  /** All of these keys. */
  readonly tagKeys?: readonly string[] | undefined;
  /** All of these pairs. */
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

interface TagQuery {
  readonly tag_key?: readonly string[];
  readonly tag_key_value?: string | undefined;
  readonly metadata_k?: readonly string[];
  readonly metadata_kv?: string | undefined;
}

/** @throws Invalid naming every faulty tag of the filters */
export function parseTagFilters(query: TagQuery): TagFilters {
  const faults = new Faults();
  const keysOf = (name: 'tag_key' | 'metadata_k') =>
    query[name]?.map((key, index) => {
      const stripped = key.trim();
      if (!validTagKey(stripped)) {
        faults.add(`${name}.${index}`, 'must be 1 to 255 characters without white space and "="');
      }
      return stripped;
    });
  const pairsOf = (name: 'tag_key_value' | 'metadata_kv') => {
    const text = query[name];
    return text === undefined ? undefined : faults.try(() => tagPairs(text, name));
  };
  const keys = [keysOf('tag_key'), keysOf('metadata_k')].flatMap((some) => some ?? []);
  const pairs = { ...pairsOf('metadata_kv'), ...pairsOf('tag_key_value') };
  faults.refuse('query');
  const isGiven = (value: object) => Object.keys(value).length > 0;
  return { tagKeys: isGiven(keys) ? keys : undefined, tags: isGiven(pairs) ? pairs : undefined };
}

const PAIRS_RULE = 'must be a JSON object that maps tag keys to values';

function tagPairs(text: string, field: string): Record<string, string> {
  const value = parseJson(text, field);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Invalid({ [field]: [PAIRS_RULE] }, 'query');
  }
  const wrong = Object.entries(value).filter(([, pair]) => typeof pair !== 'string');
  if (wrong.length > 0) {
    throw new Invalid(
      Object.fromEntries(wrong.map(([key]) => [`${field}.${key}`, ['must be a string']])),
      'query',
    );
  }
  return parseTags(value as Record<string, string>, field, 'query');
}

function parseJson(text: string, field: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof BadRequest) return undefined;
    throw error instanceof Invalid ? within(field, error) : error;
  }
}

/** The faults of a value that is the text of a parameter, under the name of that parameter. */
function within(parameter: string, { fields, unnamed }: Invalid): Invalid {
  const entries = Object.entries(fields).map(([field, messages]) => [`${parameter}.${field}`, messages]);
  return new Invalid(Object.fromEntries(entries), 'query', unnamed);
}

/** The filters as conditions on the column `tags`, whose index holds only rows with tags; saying so lets the
 *  planner use it. */
export function tagConditions({ tagKeys, tags }: TagFilters): Sql[] {
  const conditions: Sql[] = [];
  // Who has a pair has its key: asked for both, the planner would expect fewer than there are.
  const keys = (tagKeys ?? []).filter((key) => !Object.hasOwn(tags ?? {}, key));
  if (keys.length > 0) conditions.push(sql`tags ?& ${keys}::text[] and tags <> '{}'`);
  if (tags && Object.keys(tags).length > 0) {
    const pairs = Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, { value }]));
    conditions.push(sql`tags @> ${JSON.stringify(pairs)}::jsonb and tags <> '{}'`);
  }
  return conditions;
}
