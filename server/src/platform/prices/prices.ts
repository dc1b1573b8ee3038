/** What the operator asks for, an hour each, without tax. */
export interface PriceList {
  readonly currency: Currency;
  readonly tax_percent?: number | undefined;
  readonly per_hour: {
    /** By the name of a flavor. */
    readonly flavors?: Rates | undefined;
    readonly load_balancer_flavors?: Rates | undefined;
    /** A GiB, by the type of volume. */
    readonly volume_gib?: Rates | undefined;
    readonly snapshot_gib?: number | undefined;
    readonly image_gib?: number | undefined;
    readonly floating_ip?: number | undefined;
    readonly external_ip?: number | undefined;
  };
}

type Rates = Readonly<Record<string, number>>;
export const CURRENCIES = ['AZN', 'EUR', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Something that costs by the hour. */
export type Priced =
  | { readonly kind: 'instance' | 'load_balancer'; readonly flavor: string }
  | { readonly kind: 'volume'; readonly type: string; readonly gib: number }
  | { readonly kind: 'snapshot' | 'image'; readonly gib: number }
  | { readonly kind: 'floatingip' | 'external_ip' };

/** Hours of a month: 30 days. */
export const MONTH_HOURS = 720;
/** Amounts are shown with so many digits behind the point. */
const DIGITS = 8;

export interface ItemPrice {
  readonly currency_code: Currency | null;
  readonly price_per_hour: number | null;
  readonly price_per_month: number | null;
  readonly price_without_discount_per_month: number | null;
  readonly discount_percent: number | null;
  readonly tax_percent: number;
  readonly price_status: PriceStatus;
}
/** `hide`: the operator has no price list. `error`: the list has no price for this. */
export const PRICE_STATUSES = ['error', 'hide', 'show'] as const;
export type PriceStatus = (typeof PRICE_STATUSES)[number];

/** Prices of the operator's list; without one nothing has a price. */
export class Prices {
  readonly #list: PriceList | undefined;

  constructor(list?: PriceList) {
    this.#list = list;
  }

  get currency(): Currency | null {
    return this.#list?.currency ?? null;
  }

  get taxPercent(): number {
    return this.#list?.tax_percent ?? 0;
  }

  /** @returns null: it has no price */
  perHour(priced: Priced): number | null {
    const rates = this.#list?.per_hour;
    switch (priced.kind) {
      case 'instance':
        return rateOf(rates?.flavors, priced.flavor) ?? null;
      case 'load_balancer':
        return rateOf(rates?.load_balancer_flavors, priced.flavor) ?? null;
      case 'volume':
        return times(rateOf(rates?.volume_gib, priced.type), priced.gib);
      case 'snapshot':
        return times(rates?.snapshot_gib, priced.gib);
      case 'image':
        return times(rates?.image_gib, priced.gib);
      case 'floatingip':
        return rates?.floating_ip ?? null;
      case 'external_ip':
        return rates?.external_ip ?? null;
    }
  }

  /** All together. @returns null when one of them has no price */
  sum(all: readonly Priced[]): number | null {
    return this.total(all.map((each) => this.perHour(each)));
  }

  total(amounts: readonly (number | null)[]): number | null {
    if (this.#list === undefined || amounts.includes(null)) return null;
    return amounts.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  }

  /** @param perHour null: what was asked for has no price */
  item(perHour: number | null): ItemPrice {
    const perMonth = monthly(perHour);
    return {
      currency_code: this.currency,
      price_per_hour: rounded(perHour),
      price_per_month: perMonth,
      price_without_discount_per_month: perMonth,
      discount_percent: perHour === null ? null : 0,
      tax_percent: this.taxPercent,
      price_status: this.statusOf(perHour),
    };
  }

  /** The same as flavors have it. */
  shown(
    priced: Priced,
  ): Pick<ItemPrice, 'currency_code' | 'price_per_hour' | 'price_per_month' | 'price_status'> {
    const { currency_code, price_per_hour, price_per_month, price_status } = this.item(this.perHour(priced));
    return { currency_code, price_per_hour, price_per_month, price_status };
  }

  statusOf(perHour: number | null): PriceStatus {
    if (this.#list === undefined) return 'hide';
    return perHour === null ? 'error' : 'show';
  }
}

/** Names come from bodies: one such as `constructor` is no rate. */
const rateOf = (rates: Rates | undefined, name: string): number | undefined =>
  rates && Object.hasOwn(rates, name) ? rates[name] : undefined;

const times = (rate: number | undefined, gib: number): number | null =>
  rate === undefined ? null : rate * gib;

export const rounded = (amount: number | null): number | null =>
  amount === null ? null : Number(amount.toFixed(DIGITS));

export const monthly = (perHour: number | null): number | null =>
  rounded(perHour === null ? null : perHour * MONTH_HOURS);
