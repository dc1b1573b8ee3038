import { firstOf } from '../../kernel/headers.ts';
import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import {
  AddAuthenticator,
  ConfirmAuthenticator,
  FactorParams,
  NewAuthenticator,
  RecoveryCodes,
  SecondFactorList,
} from './factor-schema.ts';
import {
  addAuthenticator,
  addPasskey,
  confirmAuthenticator,
  listFactors,
  passkeyOptions,
  removeFactor,
  removeFactorsOf,
  renewRecoveryCodes,
} from './factor-service.ts';
import { AddPasskey, PasskeyOptions } from './passkey-schema.ts';
import { UserParams } from './user-schema.ts';

const tag = 'Sign-in';
const factors = plainPath(tag, '/virga/v1/second_factors');
const access = 'self';

/** Calls of people about their second factors. @param isRequired whether everybody must have one */
export const factorRoutes = (isRequired: boolean): readonly Route[] => [
  factors.get({
    summary: 'List the own second factors',
    access,
    beforeEnrolment: true,
    response: SecondFactorList,
    handler: (ctx) => listFactors(ctx),
  }),
  factors.at('authenticators').post({
    operationId: 'addAuthenticator',
    summary: 'Prepare an authenticator app as a second factor',
    description: 'It counts once a code of it was given. Another one that does not count yet is forgotten.',
    access,
    recentSignIn: true,
    beforeEnrolment: true,
    sensitive: true,
    body: AddAuthenticator,
    status: 201,
    response: NewAuthenticator,
    handler: (ctx, { body }) => addAuthenticator(ctx, body.name),
  }),
  factors.at('authenticators/{factor_id}/confirm', FactorParams.properties).post({
    operationId: 'confirmAuthenticator',
    summary: 'Have an authenticator app count, with a code that it shows',
    access,
    recentSignIn: true,
    beforeEnrolment: true,
    sensitive: true,
    body: ConfirmAuthenticator,
    response: RecoveryCodes,
    handler: (ctx, { params, body }) => confirmAuthenticator(ctx, params.factor_id, body.code),
  }),
  factors.at('passkeys/options').post({
    operationId: 'preparePasskey',
    summary: 'Prepare a passkey: what the browser needs to make one',
    access,
    recentSignIn: true,
    beforeEnrolment: true,
    sensitive: true,
    response: PasskeyOptions,
    handler: (ctx, { headers }) => passkeyOptions(ctx, firstOf(headers.host)),
  }),
  factors.at('passkeys').post({
    operationId: 'addPasskey',
    summary: 'Add a passkey, with what the browser made',
    description: 'It works under the host name of the portal on which it was made.',
    access,
    recentSignIn: true,
    beforeEnrolment: true,
    sensitive: true,
    body: AddPasskey,
    status: 201,
    response: RecoveryCodes,
    handler: (ctx, { body, headers }) => addPasskey(ctx, firstOf(headers.host), body),
  }),
  factors.at('recovery_codes').post({
    operationId: 'renewRecoveryCodes',
    summary: 'Get new recovery codes in place of those of before',
    access,
    recentSignIn: true,
    sensitive: true,
    response: RecoveryCodes,
    handler: (ctx) => renewRecoveryCodes(ctx),
  }),
  factors.at('{factor_id}', FactorParams.properties).delete({
    operationId: 'removeSecondFactor',
    summary: 'Remove a second factor',
    access,
    recentSignIn: true,
    status: 204,
    handler: (ctx, { params }) => removeFactor(ctx, params.factor_id, isRequired),
  }),
  plainPath('Operator', '/virga/v1/users/{userId}/second_factors', UserParams.properties).delete({
    operationId: 'removeSecondFactorsOfUser',
    summary: 'Remove all second factors of somebody who has lost them, and their recovery codes',
    access: 'operate',
    status: 204,
    handler: (ctx, { params }) => removeFactorsOf(ctx, params.userId),
  }),
];
