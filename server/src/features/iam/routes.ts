import { clientRoute, type Route, route } from '../../platform/http/route.ts';
import { getOwnClient } from './client-service.ts';
import {
  ApiToken,
  ApiTokenList,
  Client,
  ClientParams,
  CreateApiToken,
  CreatedApiToken,
  TokenListQuery,
  TokenParams,
} from './schema.ts';
import { createToken, deleteToken, getToken, listTokens, MAX_TOKENS, planToken } from './token-service.ts';

const tag = 'Accounts';

/** The same calls stand under the older path as well. */
function tokenRoutes(base: string, deprecated: boolean): Route[] {
  return [
    clientRoute({
      method: 'GET',
      path: base,
      tag,
      summary: 'List API tokens',
      access: 'administer',
      deprecated,
      params: ClientParams,
      query: TokenListQuery,
      response: ApiTokenList,
      handler: (ctx, { query }) => listTokens(ctx, query),
    }),
    clientRoute({
      method: 'POST',
      path: base,
      tag,
      summary: 'Create an API token; its value is shown once',
      description: `An account has at most ${MAX_TOKENS} tokens.`,
      sensitive: true,
      access: 'administer',
      deprecated,
      params: ClientParams,
      body: CreateApiToken,
      rules: planToken,
      response: CreatedApiToken,
      handler: (ctx, { body }) => createToken(ctx, body),
    }),
    clientRoute({
      method: 'GET',
      path: `${base}/{tokenId}`,
      tag,
      summary: 'Get an API token',
      access: 'administer',
      deprecated,
      params: TokenParams,
      response: ApiToken,
      handler: (ctx, { params }) => getToken(ctx, params.tokenId),
    }),
    clientRoute({
      method: 'DELETE',
      path: `${base}/{tokenId}`,
      tag,
      summary: 'Delete an API token; it is refused within a second',
      access: 'administer',
      deprecated,
      params: TokenParams,
      status: 204,
      handler: (ctx, { params }) => deleteToken(ctx, params.tokenId),
    }),
  ];
}

export const iamRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/iam/clients/me',
    tag,
    operationId: 'getAccount',
    summary: 'Get the account that the token belongs to',
    access: 'self',
    response: Client,
    handler: (ctx) => getOwnClient(ctx),
  }),
  ...tokenRoutes('/iam/v2/clients/{clientId}/tokens', false),
  ...tokenRoutes('/iam/clients/{clientId}/tokens', true),
];
