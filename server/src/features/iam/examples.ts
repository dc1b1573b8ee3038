import { type Examples, several } from '../../platform/openapi/examples.ts';

const PASSWORD = 'correct horse battery staple';
/** As it stands in a link that was mailed. */
const MAILED = 'Qm9yZWQgYnkgdGhlIHNlYSwgdGhlIGxhbXAgd2FpdHM';

export const iamExamples: Examples = {
  CreateApiToken: {
    name: 'deployments',
    description: 'Pipeline of the shop',
    exp_date: '2040-01-01T00:00:00Z',
    client_user: { role: { name: 'Engineers' } },
  },
  Login: { username: 'anna@example.com', password: PASSWORD },
  OpenSession: { username: 'anna@example.com', password: PASSWORD },
  ConfirmSession: { password: PASSWORD },
  AddAuthenticator: { name: 'phone' },
  AddPasskey: {
    name: 'laptop',
    credential: {
      id: 'Zm9yIGV4YW1wbGU',
      response: { clientDataJSON: 'e30', attestationObject: 'oA' },
    },
  },
  OpenSessionByPasskey: {
    passkey: {
      id: 'Zm9yIGV4YW1wbGU',
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
    },
  },
  ConfirmAuthenticator: { code: '492039' },
  Refresh: {
    refresh:
      'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxIiwidHlwZSI6InJlZnJlc2gifQ.3Yx0c5n7Ck1uWfQm8RrT2dJhVbLsZaEoGpIiKkNnXyU',
  },
  ForgotPassword: { email: 'anna@example.com' },
  SetPassword: { token: MAILED, password: PASSWORD },
  ChangePassword: { old: PASSWORD, new: 'quiet river morning light', double: 'quiet river morning light' },
  MailedToken: { token: MAILED },
  PatchUser: { name: 'Anna Example', lang: 'en', phone: '+44 20 7946 0123' },
  ChangeEmail: { new_email: 'anna.example@example.com', password: PASSWORD },
  InviteUser: {
    email: 'ben@example.com',
    user_role: { name: 'Engineers' },
    client_id: 1,
    name: 'Ben Example',
  },
  InviteWithLink: { email: 'cleo@example.com', user_role: { name: 'Users' }, name: 'Cleo Example' },
  ClientUser: { user_role: { name: 'Administrators' } },
  AcceptInvitation: { token: MAILED, password: PASSWORD, name: 'Ben Example', lang: 'en' },
  RequestAssignment: several({
    'In one project': { user_id: 1, role: 'ProjectAdministrator', client_id: 1, project_id: 1 },
    'In the whole client': { user_id: 1, role: 'Observer', client_id: 1 },
  }),
  AddUser: {
    email: 'ben@example.com',
    user_role: { name: 'Engineers' },
    name: 'Ben Example',
    password: PASSWORD,
  },
};
