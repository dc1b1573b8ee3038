import { plainPath } from '../../platform/http/paths.ts';
import type { Route } from '../../platform/http/route.ts';
import { acceptInvitation, declineInvitation, inviteWithLink, showInvitation } from './invitations.ts';
import { checkPassword } from './password-rules.ts';
import {
  AcceptedInvitation,
  AcceptInvitation,
  ConfirmedEmail,
  InvitationWithLink,
  InviteWithLink,
  MailedToken,
  ShownInvitation,
} from './user-schema.ts';
import { checkRole, confirmEmail } from './user-service.ts';

const tag = 'Sign-in';
const invitations = plainPath(tag, '/virga/v1/invitations');
const access = { public: 'the mailed token says who it is' };

/** What people do with tokens that were mailed to them. */
export const invitationRoutes = (sendsMail: boolean): readonly Route[] => [
  invitations.post({
    operationId: 'createInvitation',
    summary: 'Invite a person to the account; where no mail is sent, with the link to pass on',
    access: 'administer',
    recentSignIn: true,
    sensitive: true,
    body: InviteWithLink,
    rules: checkRole,
    response: InvitationWithLink,
    handler: (ctx, { body }) => inviteWithLink(ctx, body, sendsMail),
  }),
  invitations.at('show').post({
    operationId: 'showInvitation',
    summary: 'See what an invitation is to',
    access,
    body: MailedToken,
    response: ShownInvitation,
    handler: (ctx, { body }) => showInvitation(ctx, body.token),
  }),
  invitations.at('accept').post({
    operationId: 'acceptInvitation',
    summary: 'Accept an invitation: the membership begins',
    description:
      'An address without an account gets one, with the password. One that has an account keeps its own.',
    access,
    body: AcceptInvitation,
    rules: ({ password }, faults) => checkPassword(['password', password], faults),
    response: AcceptedInvitation,
    handler: (ctx, { body }) => acceptInvitation(ctx, body),
  }),
  invitations.at('decline').post({
    operationId: 'declineInvitation',
    summary: 'Decline an invitation',
    access,
    body: MailedToken,
    status: 204,
    handler: (ctx, { body }) => declineInvitation(ctx, body.token),
  }),
  plainPath(tag, '/virga/v1/email').post({
    operationId: 'confirmEmail',
    summary: 'Confirm a new e-mail address with a mailed token',
    access,
    body: MailedToken,
    response: ConfirmedEmail,
    handler: (ctx, { body }) => confirmEmail(ctx, body.token),
  }),
];
