import { NotFound } from '../../kernel/errors.ts';
import { ROLE_IDS } from '../../platform/auth/roles.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { type ClientRow, readClient, readUsers, type UserRow } from './client-store.ts';
import type { User } from './schema.ts';

export function viewUser(row: UserRow, client: Pick<ClientRow, 'id' | 'name'>): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    lang: row.lang,
    phone: row.phone,
    company: client.name,
    reseller: 0,
    client: client.id,
    deleted: false,
    groups: [{ id: ROLE_IDS[row.role], name: row.role }],
    activated: row.activated,
    sso_auth: false,
    two_fa: row.two_fa,
    auth_types: ['password'],
  };
}

const SERVICES = ['CDN', 'CLOUD', 'DDOS', 'DNS', 'STORAGE', 'STREAMING'] as const;

function byService<T>(
  value: (service: (typeof SERVICES)[number]) => T,
): Record<(typeof SERVICES)[number], T> {
  return Object.fromEntries(SERVICES.map((name) => [name, value(name)])) as Record<
    (typeof SERVICES)[number],
    T
  >;
}

/** The services that this program provides. */
const PROVIDED: readonly string[] = ['CLOUD'];

/** The caller's own account: shows that a token works, and whose it is. */
export async function getOwnClient(ctx: RequestContext) {
  const client = await readClient(ctx.db, ctx.caller.clientId);
  if (!client) throw new NotFound(`Client ${ctx.caller.clientId} was not found`);
  const users = await readUsers(ctx.db, client.id);
  const provided = (service: string) => PROVIDED.includes(service);
  return {
    id: client.id,
    name: client.name,
    email: client.email,
    phone: null,
    status: client.status,
    companyName: client.name,
    website: '',
    currentUser: ctx.caller.userId,
    users: users.map((user) => viewUser(user, client)),
    capabilities: SERVICES.filter(provided),
    serviceStatuses: byService((name) => ({
      status: provided(name) ? ('active' as const) : ('new' as const),
      enabled: provided(name),
    })),
    paidFeatures: byService(() => []),
    freeFeatures: byService(() => []),
    entryBaseDomain: null,
    signup_process: null,
    deleted: false,
    bill_type: 'post',
    custom_id: null,
    country_code: '',
    is_test: false,
    has_active_admin: users.some((user) => user.role === 'Administrators'),
  };
}
