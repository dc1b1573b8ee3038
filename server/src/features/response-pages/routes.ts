import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
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
const SETS = plainPath(tag, '/waap/v1/custom-page-sets');

export const responsePageRoutes: readonly Route[] = [
  plainPath(tag, '/waap/v1/preview-custom-page').post({
    operationId: 'previewCustomPage',
    summary: 'See a response page as visitors would; nothing is kept',
    access: 'read',
    query: PreviewQuery,
    body: PreviewPage,
    emptyIsGiven: true,
    bodyFaults: previewFaults,
    response: PagePreview,
    handler: (_ctx, { query, body }) => previewPage(query.page_type, body),
  }),
  SETS.post({
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
  SETS.get({
    summary: 'List sets of response pages; in the name filter * stands for any characters',
    access: 'read',
    query: SetListQuery,
    response: CustomPageSetList,
    handler: (ctx, { query }) => listSets(ctx, query),
  }),
  SETS.at('{set_id}', SetParams.properties).get({
    summary: 'Get a set of response pages',
    access: 'read',
    response: CustomPageSet,
    handler: (ctx, { params }) => getSet(ctx, params.set_id),
  }),
  SETS.at('{set_id}', SetParams.properties).patch({
    summary: 'Change the given pages of a set; null removes a page',
    access: 'write',
    body: UpdateCustomPageSet,
    bodyLimit: WITH_LOGOS,
    bodyFaults: setFaults,
    status: 204,
    handler: (ctx, { params, body }) => updateSet(ctx, params.set_id, body),
  }),
  SETS.version(2)
    .at('{set_id}', SetParams.properties)
    .patch({
      operationId: 'updateAndGetCustomPageSet',
      summary: 'Change the given pages of a set, and get it back; null removes a page',
      access: 'write',
      body: UpdateCustomPageSet,
      bodyLimit: WITH_LOGOS,
      bodyFaults: setFaults,
      response: CustomPageSet,
      handler: async (ctx, { params, body }) => {
        await updateSet(ctx, params.set_id, body);
        return getSet(ctx, params.set_id);
      },
    }),
  SETS.at('{set_id}', SetParams.properties).delete({
    summary: 'Delete a set of response pages',
    access: 'write',
    status: 204,
    handler: (ctx, { params }) => deleteSet(ctx, params.set_id),
  }),
];
