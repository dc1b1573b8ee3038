import { escapedForLike } from '../database/contains.ts';
import { join, raw, type Sql, sql } from '../database/sql.ts';
import { type AddressRange, rangesOfBeginning } from './address-ranges.ts';

/** Where a search finds the resources of one noun; its rows are called `s`. */
export interface SearchSource {
  /** What results say they are: `load_balancer`. */
  readonly kind: string;
  readonly table: string;
  /** Default: `id`. */
  readonly id?: string;
  /** Default: `uuid`. */
  readonly idType?: 'uuid' | 'integer' | 'text';
  /** SQL of its name, whose parts are looked for; null: it has none. Default: `s.name`. */
  readonly name?: string | null;
  /** SQL of what people call it; default: its name. */
  readonly label?: string;
  /** SQL of its state; absent: it has none. */
  readonly status?: string;
  /** Who sees it; default: the account of its project. */
  readonly owner?: 'client' | 'everybody';
  /** SQL of its project; null: it belongs to none. Default: `s.project_id`. */
  readonly project?: string | null;
  /** SQL of its region; null: it is in none. Default: `s.region_id`. */
  readonly region?: string | null;
  /** Whether it has tags, in the column `tags`. */
  readonly tags?: boolean;
  /** What is not to be found, for one who asks. */
  readonly where?: (userId: number) => Sql;
  /** A condition on those of which an address begins with a text; absent: it has no address. */
  readonly addresses?: (begin: AddressBeginning) => Sql;
}

/** The beginning of an address that is searched for. */
export class AddressBeginning {
  readonly #start: string;
  readonly #ranges: readonly AddressRange[];

  private constructor(text: string, ranges: readonly AddressRange[]) {
    this.#start = `${escapedForLike(text)}%`;
    this.#ranges = ranges;
  }

  /** undefined: no address begins so, or nearly all of a network would. */
  static of(text: string): AddressBeginning | undefined {
    const begin = text.toLowerCase();
    const isLong = begin.split('.').length > 2 || begin.split(':').length > 2;
    const ranges = isLong ? rangesOfBeginning(begin) : [];
    return ranges.length === 0 ? undefined : new AddressBeginning(begin, ranges);
  }

  /** That a column of addresses begins so. */
  inColumn(column: string): Sql {
    const address = raw(column);
    return sql`(${within(address, this.#ranges)} and host(${address}) like ${this.#start})`;
  }

  /** That a column of texts begins so. */
  inText(column: string): Sql {
    return sql`${raw(column)} like ${this.#start}`;
  }

  /** Ids of who has such an address in any region: ports and floating IPs. */
  get owners(): Sql {
    return sql`select a.owner_id from region_addresses a
      where a.region_id = any(array(select id from regions)) and ${this.inColumn('a.address')}`;
  }
}

/** That an address is in one of these ranges. */
export const within = (column: Sql, ranges: readonly AddressRange[]): Sql =>
  ranges.length === 0
    ? sql`false`
    : sql`(${join(
        ranges.map(({ from, to }) => sql`${column} between ${from}::inet and ${to}::inet`),
        ' or ',
      )})`;
