import { type Static, Type } from '@sinclair/typebox';
import { Defaulted, Nullable, StringEnum } from '../../platform/http/schemas.ts';

const MOST = 100;

export const SearchQuery = Type.Object({
  text: Type.String({
    minLength: 1,
    maxLength: 255,
    description:
      'Part of a name, a whole id or its beginning, an address or its beginning, the key or the value of a tag, or both as `key=value`.',
  }),
  limit: Defaulted(Type.Integer({ minimum: 1, maximum: MOST, default: 20 })),
});
export type SearchQuery = Static<typeof SearchQuery>;

const SearchResult = Type.Object(
  {
    kind: Type.String({ description: 'What it is: `load_balancer`, `instance`.' }),
    id: Type.String({ description: 'Its id, or its name where it has no id.' }),
    name: Type.String({ description: 'What people call it: its name or its address.' }),
    project_id: Nullable(Type.Integer(), { description: 'Where it is; null: it belongs to no project.' }),
    region_id: Nullable(Type.Integer(), { description: 'Where it is; null: it is in no region.' }),
    status: Nullable(Type.String(), {
      description: 'Its state, as its own calls show it; null: it has none.',
    }),
    matched: StringEnum(['name', 'id', 'address', 'tag'], { description: 'What has the text.' }),
  },
  { $id: 'SearchResult' },
);
export type SearchResult = Static<typeof SearchResult>;

export const SearchResults = Type.Object(
  {
    results: Type.Array(SearchResult, {
      description: 'Those whose whole name or id the text is come first.',
    }),
    truncated: Type.Boolean({ description: 'Whether there are more than are shown.' }),
  },
  { $id: 'SearchResults' },
);
export type SearchResults = Static<typeof SearchResults>;
