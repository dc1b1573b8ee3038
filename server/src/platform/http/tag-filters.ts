import { Type } from '@sinclair/typebox';
import { type RawBuilder, sql } from 'kysely';
import { Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { refuseUnstorable } from './body.ts';
import { parseTags, TAG_KEY, validTagKey } from './tags.ts';

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
  readonly tag_key_value?: string;
}

/** @throws Invalid naming every faulty tag of the filters */
export function parseTagFilters(query: TagQuery): TagFilters {
  const faults = new Faults();
  const tagKeys = query.tag_key?.map((key, index) => {
    const stripped = key.trim();
    if (!validTagKey(stripped)) {
      faults.add(`tag_key.${index}`, 'must be 1 to 255 characters without white space and "="');
    }
    return stripped;
  });
  const text = query.tag_key_value;
  const tags = text === undefined ? undefined : faults.try(() => tagPairs(text));
  faults.refuse('query');
  return { tagKeys, tags };
}

const PAIRS_RULE = 'must be a JSON object that maps tag keys to values';

function tagPairs(text: string): Record<string, string> {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Invalid({ tag_key_value: [PAIRS_RULE] }, 'query');
  }
  refuseUnstorable({ tag_key_value: value }, 'query');
  const wrong = Object.entries(value).filter(([, pair]) => typeof pair !== 'string');
  if (wrong.length > 0) {
    throw new Invalid(
      Object.fromEntries(wrong.map(([key]) => [`tag_key_value.${key}`, ['must be string']])),
      'query',
    );
  }
  return parseTags(value as Record<string, string>, 'tag_key_value', 'query');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The filters as conditions on the column `tags`, whose index holds only rows with tags; saying so lets the
 *  planner use it. */
export function tagConditions({ tagKeys, tags }: TagFilters): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  if (tagKeys?.length) conditions.push(sql`tags ?& ${[...tagKeys]}::text[] and tags <> '{}'`);
  if (tags && Object.keys(tags).length > 0) {
    const pairs = Object.fromEntries(Object.entries(tags).map(([key, value]) => [key, { value }]));
    conditions.push(sql`tags @> ${JSON.stringify(pairs)}::jsonb and tags <> '{}'`);
  }
  return conditions;
}
