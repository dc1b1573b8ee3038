import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Defaulted, Key, Nullable, offsetParameter, StringEnum } from '../../platform/http/schemas.ts';
import { FIELDS, LENGTHS, PAGE_TYPES, PAGES, type Page, type PageField } from './model.ts';

/** Characters of the largest image in base64, with line breaks. */
const LONGEST_LOGO = 750_000;

function field(name: PageField) {
  if (name === 'logo') return Type.String({ minLength: 1, maxLength: LONGEST_LOGO });
  const [minLength, maxLength] = LENGTHS[name];
  return Type.String({ minLength, maxLength });
}

const maybe = (name: PageField) => Type.Optional(Nullable(field(name)));

export const PreviewQuery = Type.Object({ page_type: StringEnum(PAGE_TYPES) });

export const PreviewPage = Type.Object(
  {
    logo: maybe('logo'),
    header: maybe('header'),
    title: maybe('title'),
    text: maybe('text'),
    error: maybe('error'),
  },
  { $id: 'PreviewPage' },
);

export const PagePreview = Type.Object({ html: Type.String() }, { $id: 'PagePreview' });

/** A page in a set: whether it replaces the built-in one, and what is written on it. */
export type SetPage = { readonly enabled: boolean } & Readonly<Partial<Record<PageField, string>>>;
export type Pages = Readonly<Partial<Record<Page, SetPage | null>>>;

function setPage(page: Page) {
  const fields = FIELDS[page].map((name) => [name, Type.Optional(field(name))] as const);
  return Type.Unsafe<SetPage>(
    Type.Object({ ...Object.fromEntries(fields), enabled: Type.Boolean() }, { additionalProperties: false }),
  );
}

/** `Optional` or not, each page of a set may be null: the built-in page is shown. */
function pageFields<T extends TSchema>(wrap: (schema: TSchema) => T): Record<Page, T> {
  const entries = PAGES.map((page) => [page, wrap(Nullable(setPage(page)))]);
  return Object.fromEntries(entries) as Record<Page, T>;
}

const Domains = Nullable(
  Type.Array(Type.Integer({ exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
    maxItems: 1000,
    description: 'Where the pages are shown',
  }),
);
const SetName = Type.String({ minLength: 1, maxLength: 50 });

export const CustomPageSet = Type.Object(
  { id: Type.Integer(), name: SetName, domains: Domains, ...pageFields((page) => page) },
  { $id: 'CustomPageSet' },
);

export const CreateCustomPageSet = Type.Unsafe<
  { readonly name: string; readonly domains?: readonly number[] | null } & Pages
>(
  Type.Object(
    { name: SetName, domains: Type.Optional(Domains), ...pageFields(Type.Optional) },
    { $id: 'CreateCustomPageSet', additionalProperties: false },
  ),
);
export type CreateCustomPageSet = Static<typeof CreateCustomPageSet>;

export const UpdateCustomPageSet = Type.Unsafe<
  { readonly name?: string | null; readonly domains?: readonly number[] | null } & Pages
>(
  Type.Object(
    {
      name: Type.Optional(Nullable(SetName)),
      domains: Type.Optional(Domains),
      ...pageFields(Type.Optional),
    },
    { $id: 'UpdateCustomPageSet', additionalProperties: false },
  ),
);
export type UpdateCustomPageSet = Static<typeof UpdateCustomPageSet>;

export const SetParams = Type.Object({ set_id: Key() });

export const SetListQuery = Type.Object({
  ordering: Type.Optional(StringEnum(['name', '-name', 'id', '-id'])),
  limit: Defaulted(Type.Integer({ minimum: 0, maximum: 100, default: 100 })),
  offset: offsetParameter(100_000),
  name: Type.Optional(Type.String()),
  ids: Type.Optional(
    Type.Array(Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  ),
});
export type SetListQuery = Static<typeof SetListQuery>;

export const CustomPageSetList = Type.Object(
  {
    limit: Type.Integer(),
    offset: Type.Integer(),
    count: Type.Integer({ minimum: 0 }),
    results: Type.Array(CustomPageSet),
  },
  { $id: 'CustomPageSetList' },
);
