import { colonTime, readTime } from '../../../kernel/codecs.ts';
import { Faults } from '../../../kernel/faults.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { type Prices, rounded } from '../../../platform/prices/prices.ts';
import { DEFAULT_FLAVOR } from '../../load-balancers/index.ts';
import { csvOf } from './csv.ts';
import { BY_SIZE, type FIELDS, GIB, isMetered, KINDS, METERED, type SortedBy } from './model.ts';
import type { ReportCosts, ReportTotalCosts, ReportUsage, UsedInAll, UsedResource } from './schema.ts';
import * as store from './store.ts';

const DAY_MS = 86_400_000;
/** Of costs that are rounded. */
const FEW_DIGITS = 5;

type Report = ReportCosts | ReportTotalCosts | ReportUsage;

/** What resources of the caller's account were used for, and what that costs at today's prices. */
export class Reports {
  readonly #prices: Prices;

  constructor(prices: Prices) {
    this.#prices = prices;
  }

  /** @throws Invalid */
  async costs(ctx: RequestContext, input: ReportCosts) {
    const { count, rows } = await store.readUsed(ctx.db, filterOf(ctx, input), pageOf(input));
    const results = rows.map((row) => ({ ...viewUsed(row), ...this.#costOf(row, input.rounding) }));
    if (input.response_format === 'csv_records') return csvOf('cost-report.csv', results);
    return { count, price_status: this.#statusOf(rows), results };
  }

  /** @throws Invalid */
  async totalCosts(ctx: RequestContext, input: ReportTotalCosts) {
    const rows = await store.readTotals(ctx.db, filterOf(ctx, input));
    const results = rows.map((row) => ({ ...viewTotal(row), ...this.#costOf(row, input.rounding) }));
    if (input.response_format === 'csv_totals') return csvOf('cost-report-totals.csv', results);
    return { count: results.length, price_status: this.#statusOf(rows), results };
  }

  /** @throws Invalid */
  async usage(ctx: RequestContext, input: ReportUsage) {
    const filter = filterOf(ctx, input);
    const { count, rows } = await store.readUsed(ctx.db, filter, pageOf(input));
    const totals = await store.readTotals(ctx.db, filter);
    return { count, resources: rows.map(viewUsed), totals: totals.map(viewTotal) };
  }

  #costOf(row: store.TotalRow, rounding: boolean) {
    const rate = this.#rateOf(row);
    const exact = rate === null ? null : (rate * row.value) / 60;
    return {
      billing_feature_name: null,
      cost: rounding && exact !== null ? Number(exact.toFixed(FEW_DIGITS)) : rounded(exact),
      currency: this.#prices.currency,
      err: this.#prices.statusOf(rate) === 'error' ? 'It has no price' : null,
    };
  }

  #statusOf(rows: readonly store.TotalRow[]) {
    return this.#prices.statusOf(this.#prices.total(rows.map((row) => this.#rateOf(row))));
  }

  /** An hour of it; of what is paid by size, an hour of a GiB. */
  #rateOf({ kind, priced_as: pricedAs }: store.TotalRow): number | null {
    switch (kind) {
      case 'instance':
        return this.#prices.perHour({ kind, flavor: pricedAs });
      case 'load_balancer':
        return this.#prices.perHour({ kind, flavor: flavorNameOf(pricedAs) });
      case 'volume':
        return this.#prices.perHour({ kind, type: pricedAs, gib: 1 });
      case 'snapshot':
      case 'image':
        return this.#prices.perHour({ kind, gib: 1 });
      default:
        return this.#prices.perHour({ kind });
    }
  }
}

/** What schemas cannot say of bodies. */
export function checkReport(
  { time_from: from, time_to: to, schema_filter: filter, tags }: Partial<Report>,
  faults: Faults,
): void {
  const [begin, end] = [from, to].map((text) => (text === undefined ? undefined : readTime(text)));
  if (begin && end && end < begin) faults.add('time_to', 'must not be before time_from');
  if (filter && isMetered(filter.type)) {
    const fields: readonly (typeof FIELDS)[number][] = KINDS[filter.type].fields;
    if (!fields.includes(filter.field))
      faults.add('schema_filter.field', `must be one of these for ${filter.type}: ${fields.join(', ')}`);
  }
  for (const [i, { key, value }] of (tags?.conditions ?? []).entries()) {
    if (key === undefined && value === undefined)
      faults.add(`tags.conditions.${i}`, 'needs a key or a value');
  }
}

function filterOf(ctx: RequestContext, input: Report): store.Filter {
  const faults = new Faults();
  checkReport(input, faults);
  faults.refuse();
  const { schema_filter: where, tags } = input;
  const types = where ? (input.types ?? [where.type]).filter((type) => type === where.type) : input.types;
  return {
    clientId: ctx.caller.clientId,
    from: dayOf(input.time_from, 0),
    to: dayOf(input.time_to, input.enable_last_day ? 1 : 0),
    now: ctx.clock.now(),
    projects: input.projects ?? undefined,
    regions: input.regions,
    kinds: types === undefined ? METERED : types.filter(isMetered),
    where: where && { field: where.field, values: where.values },
    tags: tags && { all: tags.condition_type === 'AND', conditions: tags.conditions },
  };
}

/** The beginning of a day in UTC, or of one that is so many days later. */
function dayOf(text: string, later: number): Date {
  const at = readTime(text)?.getTime() ?? 0;
  return new Date(Math.floor(at / DAY_MS) * DAY_MS + later * DAY_MS);
}

function pageOf({ limit, offset, order_by, sorting }: ReportCosts | ReportUsage) {
  const named =
    order_by?.map((text) => text.split('.')) ?? (sorting ?? []).flatMap((each) => Object.entries(each));
  return {
    limit,
    offset,
    sorting: named.map(([by, direction]) => ({ by: by as SortedBy, descending: direction === 'desc' })),
  };
}

const flavorNameOf = (stored: string) => (stored === '' ? DEFAULT_FLAVOR.name : stored);

function viewTotal({ kind, region_id, priced_as, value }: store.TotalRow): UsedInAll {
  const flavor = kind === 'load_balancer' ? flavorNameOf(priced_as) : priced_as;
  return {
    type: kind,
    region: region_id,
    region_id,
    ...((kind === 'instance' || kind === 'load_balancer') && { flavor }),
    ...((kind === 'volume' || kind === 'snapshot') && { volume_type: priced_as }),
    billing_metric_name: flavor || kind,
    billing_value: rounded(value) ?? 0,
    billing_value_unit: BY_SIZE.includes(kind) ? 'gbminutes' : 'minutes',
  };
}

function viewUsed(row: store.UsedRow): UsedResource {
  const { kind, resource_id: id, details, gib } = row;
  return {
    ...viewTotal(row),
    project_id: row.project_id,
    ...(kind === 'external_ip' ? { port_id: id } : { uuid: id, last_name: row.name, tags: tagsOf(row) }),
    ...(BY_SIZE.includes(kind) && { last_size: gib * GIB, size_unit: 'bytes' as const }),
    first_seen: colonTime(row.first_seen),
    last_seen: colonTime(row.last_seen),
    ...details,
  };
}

const tagsOf = ({ tags }: store.UsedRow) => Object.entries(tags).map(([key, { value }]) => ({ key, value }));
