import { firstOf } from '../../kernel/headers.ts';
import { forgeryTokenOf, sessionCookieOf, setSessionCookie } from '../../platform/auth/cookies.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { plainPath } from '../../platform/http/paths.ts';
import { RawReply, type Route } from '../../platform/http/route.ts';
import { OpenSessionByPasskey, PasskeyOptions } from './passkey-schema.ts';
import { requestOptions } from './passkeys.ts';
import { withCookie } from './session-cookie.ts';
import {
  ConfirmSession,
  EndSessionsQuery,
  OpenSession,
  SessionInfo,
  SessionLink,
  SessionList,
  SessionParams,
} from './session-schema.ts';
import { confirmSession, describeSession, listOwnSessions, signOut } from './session-service.ts';
import type { Sessions } from './sessions.ts';
import type { SignIn } from './sign-in.ts';
import { newOwnSignInToken } from './sign-in-link.ts';
import { MailedToken } from './user-schema.ts';

const tag = 'Sign-in';
const session = plainPath(tag, '/virga/v1/session');
const all = plainPath(tag, '/virga/v1/sessions');

export function userAgentOf(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  return String(headers['user-agent'] ?? '');
}

/** A browser that is signed in from now on. */
const opened = (ctx: RequestContext, cookie: string): RawReply =>
  withCookie(ctx, cookie, { csrf_token: forgeryTokenOf(cookie) });

export function sessionRoutes(sessions: Sessions, signIn: SignIn): readonly Route[] {
  return [
    session.post({
      operationId: 'startSession',
      summary: 'Sign in a browser',
      description:
        'The session is a cookie that scripts cannot read. Writes with it need the token that this answers, in the ' +
        'header X-CSRF-Token. It ends when it was not used for a day, and after 30 days.',
      access: { public: 'it is how one gets in' },
      body: OpenSession,
      sensitive: true,
      handler: async (ctx, { body, headers }) =>
        opened(ctx, await signIn.loginBrowser(ctx, body, userAgentOf(headers))),
    }),
    session.at('link').post({
      operationId: 'linkSession',
      summary: 'Sign in a browser with a link that works once',
      description: 'The first run prints one. It works within a day.',
      access: { public: 'the token says who it is' },
      body: MailedToken,
      sensitive: true,
      handler: async (ctx, { body, headers }) =>
        opened(ctx, await signIn.loginByLink(ctx, body.token, userAgentOf(headers))),
    }),
    session.at('links').post({
      operationId: 'createSessionLink',
      summary: 'Make a token that signs the person of the token in to a browser, once',
      description:
        'For `POST /virga/v1/session/link`. It works for five minutes, and for whoever has it. The session is the ' +
        "person's own, and stays when the token ends.",
      access: 'operate',
      status: 201,
      response: SessionLink,
      sensitive: true,
      handler: (ctx) => newOwnSignInToken(ctx),
    }),
    session.at('passkey/options').post({
      operationId: 'preparePasskeySession',
      summary: 'Prepare signing in with a passkey: what the browser needs to ask for one',
      description: 'Also for giving one again, at `POST /virga/v1/session/confirm`.',
      access: { public: 'it is how one gets in' },
      sensitive: true,
      response: PasskeyOptions,
      handler: async (ctx, { headers }) => ({ options: await requestOptions(ctx, firstOf(headers.host)) }),
    }),
    session.at('passkey').post({
      operationId: 'startSessionByPasskey',
      summary: 'Sign in a browser with a passkey',
      description: 'It stands for the password and the second factor.',
      access: { public: 'it is how one gets in' },
      body: OpenSessionByPasskey,
      sensitive: true,
      handler: async (ctx, { body, headers }) =>
        opened(
          ctx,
          await signIn.loginByPasskey(ctx, firstOf(headers.host), body.passkey, userAgentOf(headers)),
        ),
    }),
    session.at('confirm').post({
      operationId: 'confirmSession',
      summary: 'Give the password or a passkey again',
      description:
        'For the next 10 minutes the session may do what needs a recent sign-in: make API tokens, and change who ' +
        'may do what in the account. Attempts are limited as at the sign-in.',
      access: 'self',
      beforeEnrolment: true,
      body: ConfirmSession,
      status: 204,
      handler: (ctx, { body, headers }) => confirmSession(sessions, ctx, firstOf(headers.host), body),
    }),
    session.get({
      operationId: 'getSession',
      summary: 'Who is signed in',
      access: 'self',
      beforeEnrolment: true,
      response: SessionInfo,
      sensitive: true,
      handler: (ctx, { headers }) => {
        const cookie =
          headers.authorization === undefined ? sessionCookieOf(firstOf(headers.cookie), ctx) : undefined;
        return describeSession(ctx, cookie === undefined ? null : forgeryTokenOf(cookie));
      },
    }),
    session.delete({
      operationId: 'endSession',
      summary: 'Sign out',
      description:
        'The session ends, and with it all that were opened from one another. Their tokens are refused at once.',
      access: 'self',
      beforeEnrolment: true,
      status: 204,
      handler: async (ctx) => {
        await signOut(sessions, ctx);
        return new RawReply('application/json', '', { 'set-cookie': setSessionCookie(undefined, ctx) });
      },
    }),
    all.get({
      operationId: 'listSessions',
      summary: 'List the own sessions, the latest first',
      access: 'self',
      response: SessionList,
      handler: (ctx) => listOwnSessions(ctx),
    }),
    all.delete({
      operationId: 'endOtherSessions',
      summary: 'Sign out everywhere',
      description:
        'Every session of the person ends, this one too. API tokens stay, unless they are to end as well. With one, ' +
        'the sessions that it opened end.',
      access: 'self',
      query: EndSessionsQuery,
      status: 204,
      handler: (ctx, { query }) => sessions.endAll(ctx, { tokens: query.end_tokens ?? false }),
    }),
    all.at('{session_id}', SessionParams.properties).delete({
      operationId: 'endSessionOf',
      summary: 'End one of the own sessions',
      access: 'self',
      status: 204,
      handler: (ctx, { params }) => signOut(sessions, ctx, params.session_id),
    }),
  ];
}
