import { refuseUnstorable } from '../../platform/http/body.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { parseTagFilters } from '../../platform/http/tag-filters.ts';
import { placeOf } from '../volumes/index.ts';
import { listImages } from './list-store.ts';
import type { ImageListQuery } from './schema.ts';
import * as store from './store.ts';
import { viewImage } from './views.ts';

const DEFAULT_LIMIT = 1000;

/** Commands on images, one transaction each, and reads. */
export class ImageService {
  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewImage(await store.readImage(ctx.db, id, placeOf(ctx)), ctx.region.name, ctx.project.id);
  }

  /** @throws Invalid naming every faulty filter */
  async list(ctx: RegionContext, query: ImageListQuery) {
    refuseUnstorable(query, 'query');
    const { count, rows } = await listImages(ctx.db, {
      ...placeOf(ctx),
      ...parseTagFilters(query),
      visibility: query.visibility ?? (query.private === undefined ? undefined : 'private'),
      architecture: query.architecture,
      name: query.name,
      osDistro: query.os_distro,
      osVersion: query.os_version,
      limit: query.limit ?? DEFAULT_LIMIT,
      offset: query.offset ?? 0,
    });
    return { count, results: rows.map((row) => viewImage(row, ctx.region.name, ctx.project.id)) };
  }
}
