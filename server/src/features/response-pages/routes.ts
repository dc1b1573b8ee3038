import { type Route, route } from '../../platform/http/route.ts';
import {
  CreateCustomPageSet,
  CustomPageSet,
  CustomPageSetList,
  PagePreview,
  PreviewPage,
  PreviewQuery,
  SetListQuery,
  SetParams,
  UpdateCustomPageSet,
} from './schema.ts';
import {
  createSet,
  deleteSet,
  getSet,
  listSets,
  MAX_MIB,
  MAX_SETS,
  previewFaults,
  previewPage,
  setFaults,
  updateSet,
} from './service.ts';

const tag = 'Response pages';
/** Bytes: a set has four logos. */
const WITH_LOGOS = 3 * 1024 * 1024;
const SETS = '/waap/v1/custom-page-sets';

export const responsePageRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/waap/v1/preview-custom-page',
    tag,
    operationId: 'previewCustomPage',
    summary: 'See a response page as visitors would; nothing is kept',
    access: 'read',
    query: PreviewQuery,
    body: PreviewPage,
    bodyFaults: previewFaults,
    response: PagePreview,
    handler: (_ctx, { query, body }) => previewPage(query.page_type, body),
  }),
  route({
    method: 'POST',
    path: SETS,
    tag,
    summary: 'Create a set of response pages',
    description: `An account has at most ${MAX_SETS} sets, of ${MAX_MIB} MiB together; one more is refused once they are reached.`,
    access: 'write',
    body: CreateCustomPageSet,
    bodyLimit: WITH_LOGOS,
    bodyFaults: setFaults,
    status: 201,
    response: CustomPageSet,
    handler: (ctx, { body }) => createSet(ctx, body),
  }),
  route({
    method: 'GET',
    path: SETS,
    tag,
    summary: 'List sets of response pages; in the name filter * stands for any characters',
    access: 'read',
    query: SetListQuery,
    response: CustomPageSetList,
    handler: (ctx, { query }) => listSets(ctx, query),
  }),
  route({
    method: 'GET',
    path: `${SETS}/{set_id}`,
    tag,
    summary: 'Get a set of response pages',
    access: 'read',
    params: SetParams,
    response: CustomPageSet,
    handler: (ctx, { params }) => getSet(ctx, params.set_id),
  }),
  route({
    method: 'PATCH',
    path: `${SETS}/{set_id}`,
    tag,
    summary: 'Change the given pages of a set; null removes a page',
    access: 'write',
    params: SetParams,
    body: UpdateCustomPageSet,
    bodyLimit: WITH_LOGOS,
    bodyFaults: setFaults,
    status: 204,
    handler: (ctx, { params, body }) => updateSet(ctx, params.set_id, body),
  }),
  route({
    method: 'PATCH',
    path: `${SETS.replace('/v1/', '/v2/')}/{set_id}`,
    tag,
    operationId: 'updateAndGetCustomPageSet',
    summary: 'Change the given pages of a set, and get it back; null removes a page',
    access: 'write',
    params: SetParams,
    body: UpdateCustomPageSet,
    bodyLimit: WITH_LOGOS,
    bodyFaults: setFaults,
    response: CustomPageSet,
    handler: async (ctx, { params, body }) => {
      await updateSet(ctx, params.set_id, body);
      return getSet(ctx, params.set_id);
    },
  }),
  route({
    method: 'DELETE',
    path: `${SETS}/{set_id}`,
    tag,
    summary: 'Delete a set of response pages',
    access: 'write',
    params: SetParams,
    status: 204,
    handler: (ctx, { params }) => deleteSet(ctx, params.set_id),
  }),
];
