import type { Static } from '@sinclair/typebox';
import type { ExternalService } from '../../kernel/capacity.ts';
import { Forbidden, Invalid, type InvalidFields } from '../../kernel/errors.ts';
import type { Db } from '../../platform/database/db.ts';
import { pageOf } from '../../platform/database/list-page.ts';
import { requireRoom } from '../capacity/index.ts';
import { type RegionRow, readRegions } from '../regions/index.ts';
import type { LocationListQuery } from './schema.ts';
import { readOrder } from './storage-access.ts';

/** What says whether storages of a kind can be made in a region. */
interface Provider {
  unavailable(): string | undefined;
}

export interface LocationDeps {
  readonly db: Db;
  providerOf(regionId: number): Provider | undefined;
  /** What is made there, for people: "object storage". */
  readonly what: string;
  readonly service: ExternalService;
}

/** Where storages of a kind can be made: regions that have it. */
export class Locations {
  readonly #deps: LocationDeps;

  constructor(deps: LocationDeps) {
    this.#deps = deps;
  }

  /** Regions that have it, working or not. */
  async #all(): Promise<RegionRow[]> {
    const all = await readRegions(this.#deps.db);
    return all.filter(({ id, state }) => state === 'ACTIVE' && this.#deps.providerOf(id) !== undefined);
  }

  /** Regions that have it, and whether storages can be made there here and now. */
  async all(): Promise<readonly { readonly region: RegionRow; readonly isOpen: boolean }[]> {
    const isOpen = ({ id }: RegionRow) => this.#deps.providerOf(id)?.unavailable() === undefined;
    return (await this.#all()).map((region) => ({ region, isOpen: isOpen(region) }));
  }

  /** Regions where storages can be made here and now. */
  async open(): Promise<RegionRow[]> {
    return (await this.all()).flatMap(({ region, isOpen }) => (isOpen ? region : []));
  }

  /** What is wrong with the place that a body names, whatever else is wrong with it. */
  async faultsOf(body: unknown): Promise<InvalidFields> {
    const name = (body as { location_name?: unknown } | null)?.location_name;
    return typeof name === 'string' ? faultOf(name, await this.#all()) : {};
  }

  /** @throws Invalid for a place that there is not, Forbidden for one where nothing can be made at present, Conflict for
   *    one that is full */
  async find(name: string): Promise<RegionRow> {
    const regions = await this.#all();
    const region = regions.find(({ slug }) => slug === name);
    if (!region) throw new Invalid(faultOf(name, regions));
    const fault = this.#deps.providerOf(region.id)?.unavailable();
    if (fault) throw new Forbidden(`There is no ${this.#deps.what} in ${name} at present: ${fault}`);
    await requireRoom(this.#deps.db, { id: region.id, name: region.display_name }, [
      'disk',
      'memory',
      this.#deps.service,
    ]);
    return region;
  }
}

function faultOf(name: string, regions: readonly RegionRow[]): InvalidFields {
  if (regions.some(({ slug }) => slug === name)) return {};
  const names = regions.map(({ slug }) => slug).join(', ');
  return { location_name: [`must be one of: ${names || 'none at present'}`] };
}

const FIELDS = ['name', 'title', 'technical_name', 'type', 'address', 'created_at'] as const;
const TYPES = { s3: 's3_compatible', sftp: 'sftp' } as const;
type Kind = keyof typeof TYPES;

/** Where storages of each kind can be made. A region that has both is there twice. */
export async function listLocations(
  kinds: Readonly<Record<Kind, Locations>>,
  query: Static<typeof LocationListQuery>,
) {
  const [field, direction] = readOrder(query.order_by, FIELDS).split('.');
  // All that there is of S3 is standard.
  const requested: readonly Kind[] =
    query.type === undefined
      ? ['s3', 'sftp']
      : query.type === 'fast'
        ? []
        : [query.type === 'sftp' ? 'sftp' : 's3'];
  const found = await Promise.all(
    requested.map(async (kind) =>
      (await kinds[kind].open()).map((region) => ({ region, type: TYPES[kind] })),
    ),
  );
  const keyOf = ({ region, type }: { region: RegionRow; type: string }) => {
    if (field === 'created_at') return region.created_at.toISOString();
    if (field === 'type') return type;
    return field === 'title' ? region.display_name : region.slug;
  };
  const sign = direction === 'desc' ? -1 : 1;
  const sorted = found.flat().sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return sign * (Number(left > right) - Number(left < right) || a.region.id - b.region.id);
  });
  return pageOf(sorted, query, ({ region: { slug, display_name }, type }) => ({
    name: slug,
    title: display_name,
    technical_name: slug,
    type,
    address: '',
  }));
}
