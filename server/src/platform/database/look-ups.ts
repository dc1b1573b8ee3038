import type { Queryable } from './db.ts';

/** What `named` reads, asked for in fewer words. */
export const LOOK_UPS = {
  async namedRow<Row>(
    this: Queryable,
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    return (await this.named<Row>(name, text, values))[0];
  },
  async namedNumber(
    this: Queryable,
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<number> {
    const [row] = await this.named<object>(name, text, values);
    return Object.values(row ?? {})[0] ?? 0;
  },
  async namedAny(this: Queryable, name: string, text: string, values: readonly unknown[]): Promise<boolean> {
    return (await this.named(name, text, values)).length > 0;
  },
};
