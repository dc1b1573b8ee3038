import { randomBytes, scryptSync } from 'node:crypto';
import { sql } from '../../server/src/platform/database/sql.ts';
import type { Reply, TestServer } from './server.ts';

/** What people do with a test server: they sign in, and read their mail. */

export const PASSWORD = 'correct horse battery';

/** A password as it is kept, but quick to check: one that the program keeps takes 60 ms each time. */
export function quickHash(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 });
  return `scrypt$16$${salt.toString('base64')}$${key.toString('base64')}`;
}

export interface Pair {
  readonly access: string;
  readonly refresh: string;
}

export interface People {
  setPassword(userId: number, password?: string): Promise<void>;
  login(username: string, password?: string): Promise<Reply>;
  /** As `login`, which must succeed. */
  signIn(username: string, password?: string): Promise<Pair>;
  bearer(method: string, path: string, access: string, body?: unknown): Promise<Reply>;
  refresh(token: string): Promise<Reply>;
  /** The token of the latest mail to an address; '' when there is none. */
  mailedToken(recipient: string): Promise<string>;
  invite(email: string, role?: string, as?: Pair): Promise<Reply>;
  /** Invites somebody to the client and accepts for them. @returns the user's id */
  join(
    email: string,
    role?: string,
    options?: { as?: Pair; clientId?: number; isNew?: boolean },
  ): Promise<number>;
}

export function people(server: TestServer): People {
  const login: People['login'] = (username, password = PASSWORD) =>
    server.call('POST', '/iam/auth/jwt/login', {
      body: { username, password },
      headers: { 'user-agent': 'Test/1' },
    });
  const bearer: People['bearer'] = (method, path, access, body) =>
    server.call(method, path, {
      headers: { authorization: `Bearer ${access}` },
      ...(body === undefined ? {} : { body }),
    });
  const mailedToken: People['mailedToken'] = async (recipient) => {
    const { body } = await server.call('GET', '/virga/v1/outbox', { as: 'operator' });
    const mail = body.results.find((each: { recipient: string }) => each.recipient === recipient);
    return /^ {2}(\S+)$/m.exec(mail?.body ?? '')?.[1] ?? '';
  };
  const inviteTo = (clientId: number, email: string, role: string, as?: Pair) => {
    const body = { email, user_role: { name: role }, client_id: clientId };
    const path = '/iam/clients/invite_user';
    return as ? bearer('POST', path, as.access, body) : server.call('POST', path, { body });
  };
  const setPassword: People['setPassword'] = async (userId, password = PASSWORD) => {
    await server.db.run(sql`update users set password_hash = ${quickHash(password)} where id = ${userId}`);
  };
  return {
    login,
    bearer,
    mailedToken,
    setPassword,
    signIn: async (username, password) => {
      const { status, body } = await login(username, password);
      if (status !== 200) throw new Error(`signing in as ${username} answers ${status}`);
      return body;
    },
    refresh: (token) => server.call('POST', '/iam/auth/jwt/refresh', { body: { refresh: token } }),
    invite: (email, role = 'Engineers', as) => inviteTo(1, email, role, as),
    join: async (email, role = 'Engineers', { as, clientId = 1, isNew = true } = {}) => {
      const invited = await inviteTo(clientId, email, role, as);
      if (invited.status !== 200) throw new Error(`inviting ${email} answers ${invited.status}`);
      const token = await mailedToken(email);
      const body = isNew ? { token, password: PASSWORD } : { token };
      const accepted = await server.call('POST', '/virga/v1/invitations/accept', { body });
      if (accepted.status !== 200) throw new Error(`accepting answers ${JSON.stringify(accepted.body)}`);
      if (isNew) await setPassword(accepted.body.user_id);
      return accepted.body.user_id;
    },
  };
}
