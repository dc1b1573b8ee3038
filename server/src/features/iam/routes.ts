import { clientPath, plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
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
  const all = clientPath(tag, base, ClientParams.properties);
  const one = all.at('{tokenId}', TokenParams.properties);
  return [
    all.get({
      summary: 'List API tokens',
      access: 'administer',
      deprecated,
      query: TokenListQuery,
      response: ApiTokenList,
      handler: (ctx, { query }) => listTokens(ctx, query),
    }),
    all.post({
      summary: 'Create an API token; its value is shown once',
      description: `An account has at most ${MAX_TOKENS} tokens.`,
      sensitive: true,
      access: 'administer',
      recentSignIn: true,
      deprecated,
      body: CreateApiToken,
      rules: planToken,
      response: CreatedApiToken,
      handler: (ctx, { body }) => createToken(ctx, body),
    }),
    one.get({
      summary: 'Get an API token',
      access: 'administer',
      deprecated,
      response: ApiToken,
      handler: (ctx, { params }) => getToken(ctx, params.tokenId),
    }),
    one.delete({
      summary: 'Delete an API token; it is refused within a second',
      access: 'administer',
      deprecated,
      status: 204,
      handler: (ctx, { params }) => deleteToken(ctx, params.tokenId),
    }),
  ];
}

export const iamRoutes: readonly Route[] = [
  plainPath(tag, '/iam/clients/me').get({
    operationId: 'getAccount',
    summary: 'Get the account that the token belongs to',
    access: 'self',
    response: Client,
    handler: (ctx) => getOwnClient(ctx),
  }),
  ...tokenRoutes('/iam/v2/clients/{clientId}/tokens', false),
  ...tokenRoutes('/iam/clients/{clientId}/tokens', true),
];
