import type pg from 'pg';

/** What PostgreSQL says of a statement without running it. */

export interface Column {
  readonly name: string;
  readonly type: PgType;
  /** Whether its table lets it be null and no condition excludes that; undefined: it is no column of a table. */
  readonly nullable: boolean | undefined;
  /** Whether it is on the side of an outer join that may have no row. */
  readonly outer: boolean;
}

export interface PgType {
  readonly name: string;
  /** Of an array. */
  readonly element?: PgType;
  /** The words of an enumeration. */
  readonly words?: readonly string[];
}

export interface Described {
  readonly columns: readonly Column[];
  readonly params: readonly PgType[];
}

interface Field {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

interface RawDescription {
  readonly fields: readonly Field[];
  readonly params: readonly number[];
}

interface Attribute {
  readonly notNull: boolean;
  readonly name: string;
}

export class Describer {
  readonly #client: pg.Client;
  readonly #types: ReadonlyMap<number, PgType>;
  /** By table and number; columns of views are not among them, of which nothing is known. */
  readonly #attributes: ReadonlyMap<string, Attribute>;

  private constructor(
    client: pg.Client,
    types: ReadonlyMap<number, PgType>,
    attributes: ReadonlyMap<string, Attribute>,
  ) {
    this.#client = client;
    this.#types = types;
    this.#attributes = attributes;
  }

  static async on(client: pg.Client): Promise<Describer> {
    const types = await client.query<{
      oid: number;
      typname: string;
      typelem: number;
      typbasetype: number;
      words: string[] | null;
    }>(
      `select oid, typname, case when typcategory = 'A' then typelem else 0 end as typelem, typbasetype,
              (select array_agg(enumlabel::text) from pg_enum where enumtypid = t.oid) as words
         from pg_type t where typname <> 'pg_node_tree'`,
    );
    const byId = new Map(types.rows.map((row) => [row.oid, row]));
    const typeOf = (oid: number): PgType => {
      const row = byId.get(oid);
      if (!row) return { name: 'unknown' };
      if (row.typbasetype !== 0) return typeOf(row.typbasetype);
      if (row.typelem !== 0) return { name: row.typname, element: typeOf(row.typelem) };
      return { name: row.typname, ...(row.words ? { words: row.words } : {}) };
    };
    const attributes = await client.query<{ key: string; name: string; not_null: boolean }>(
      `select a.attrelid || ' ' || a.attnum as key, a.attname as name, a.attnotnull as not_null
         from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relkind in ('r', 'p')`,
    );
    return new Describer(
      client,
      new Map(types.rows.map(({ oid }) => [oid, typeOf(oid)])),
      new Map(attributes.rows.map((row) => [row.key, { name: row.name, notNull: row.not_null }])),
    );
  }

  /** @throws what PostgreSQL has against the statement */
  async describe(text: string): Promise<Described> {
    const { fields, params } = await rawDescription(this.#client, text);
    const plan = fields.length > 0 ? await this.#plan(text) : undefined;
    const columns = fields.map((field, at): Column => {
      const attribute = this.#attributes.get(`${field.tableID} ${field.columnID}`);
      return {
        name: field.name,
        type: this.#type(field.dataTypeID),
        nullable: plan && attribute && !attribute.notNull && !excludesNull(text, plan, attribute.name),
        outer: plan !== undefined && isOuter(plan, plan.Output?.[at]),
      };
    });
    return { columns, params: params.map((oid) => this.#type(oid)) };
  }

  #type(oid: number): PgType {
    return this.#types.get(oid) ?? { name: 'unknown' };
  }

  async #plan(text: string): Promise<Plan | undefined> {
    if (!/^\s*(select|with|insert|update|delete|values|table|\()/i.test(text)) return undefined;
    const { rows } = await this.#client.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (verbose, generic_plan, format json) ${text}`,
    );
    return rows[0]?.['QUERY PLAN'][0]?.Plan;
  }
}

/** A node of what `explain` answers. */
interface Plan {
  readonly Output?: readonly string[];
  readonly Plans?: readonly Plan[];
  readonly 'Join Type'?: string;
  readonly 'Parent Relationship'?: string;
  readonly [key: string]: unknown;
}

/** Whether the statement says so itself, or a condition that holds for no row in which the column is null. */
const excludesNull = (text: string, plan: Plan, column: string): boolean =>
  new RegExp(`\\b${column} is not null`, 'i').test(text) || hasCondition(plan, column);

function isOuter(plan: Plan, output: string | undefined): boolean {
  if (output === undefined) return false;
  const [outer, inner] = ['Outer', 'Inner'].map((side) =>
    plan.Plans?.find((one) => one['Parent Relationship'] === side),
  );
  const join = plan['Join Type'];
  const has = (side: Plan | undefined) => side?.Output?.includes(output) ?? false;
  if ((join === 'Left' || join === 'Full') && has(inner)) return true;
  if ((join === 'Right' || join === 'Full') && has(outer)) return true;
  return (plan.Plans ?? []).some(
    (one) => ['Outer', 'Inner'].includes(String(one['Parent Relationship'])) && isOuter(one, output),
  );
}

/** Whether some condition holds for no row in which the column is null. */
function hasCondition(plan: Plan, column: string): boolean {
  const excludes = new RegExp(
    `\\b${column}(\\)::\\w+)? (=|>|<|>=|<=|~~\\*?) |(=|>|<|>=|<=) \\(?(\\w+\\.)?${column}\\b`,
  );
  const conditions = Object.entries(plan).flatMap(([key, value]) =>
    /Cond|Filter/.test(key) && typeof value === 'string' ? [value] : [],
  );
  return (
    conditions.some((text) => excludes.test(text)) ||
    (plan.Plans ?? []).some((one) => hasCondition(one, column))
  );
}

/** Parses a statement and asks what it takes and gives. */
function rawDescription(client: pg.Client, text: string): Promise<RawDescription> {
  return new Promise((resolve, reject) => {
    const connection = client.connection as unknown as Wire;
    let params: readonly number[] = [];
    let fields: readonly Field[] = [];
    let failed: Error | undefined;
    const noteParams = (message: { readonly dataTypeIDs: readonly number[] }) => {
      params = message.dataTypeIDs;
    };
    connection.on('parameterDescription', noteParams);
    client.query({
      submit: () => {
        connection.parse({ name: '', text, types: [] });
        connection.describe({ type: 'S', name: '' });
        connection.sync();
      },
      handleRowDescription: (message: { readonly fields: readonly Field[] }) => {
        fields = message.fields;
      },
      handleError: (error: Error) => {
        failed = error;
        connection.removeListener('parameterDescription', noteParams);
        reject(failed);
      },
      handleReadyForQuery: () => {
        connection.removeListener('parameterDescription', noteParams);
        resolve({ fields, params });
      },
    } as unknown as pg.Submittable);
  });
}

interface Wire {
  on(event: string, listener: (message: never) => void): void;
  removeListener(event: string, listener: (message: never) => void): void;
  parse(query: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  describe(what: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
}
