import { rootFolder } from '../../scripts/openstack/place.mjs';
import { accessOf } from '../../scripts/openstack/stack.mjs';
import { Cipher } from '../../server/src/platform/secrets/cipher.ts';
import type { OpenStackSettings } from '../../server/src/providers/openstack/index.ts';
import { sealCredential } from '../../server/src/regions/openstack-regions.ts';

/** The OpenStack of this machine, and calls to it behind Virga's back. */

interface Access extends Pick<OpenStackSettings, 'auth_url' | 'region_name' | 'vip' | 'external'> {
  readonly credential: { readonly id: string; readonly secret: string };
  readonly project_id: string;
  readonly administrator: { readonly name: string; readonly password: string; readonly project: string };
  readonly namespace: string;
  readonly switch: string;
  /** What Nova, Cinder and Glance offer; absent: they do not run. */
  readonly machines?: {
    readonly flavors: Readonly<Record<string, string>>;
    readonly volume_types: Readonly<Record<string, string>>;
    readonly image_id: string;
  };
}

/** Undefined where none runs: `npm run openstack -- up` starts it. */
export const access = accessOf(rootFolder()) as Access | undefined;

/** What a region of this cloud has as its settings, its credential sealed under a master key.
 *  @param driver of Octavia, @param images the cloud's ids of others that every project sees, by their names */
export function cloudSettings(
  driver: 'amphora' | 'ovn',
  key: Buffer,
  images: Readonly<Record<string, string>> = {},
): OpenStackSettings {
  if (!access) throw new Error('no OpenStack runs here');
  const { auth_url, region_name, vip, external, credential, machines } = access;
  return {
    auth_url,
    region_name,
    vip,
    ...(external ? { external } : {}),
    credential: sealCredential(new Cipher([key]), credential),
    load_balancers: { provider: driver, key_manager: true },
    ...(machines
      ? {
          instances: { flavors: machines.flavors },
          volumes: {
            types: machines.volume_types,
            images: Object.entries({ tiny: machines.image_id, ...images }).map(([name, image_id]) => ({
              image_id,
              name,
              distro: name,
              version: '1',
            })),
          },
        }
      : {}),
  };
}

type Service = 'network' | 'load-balancer' | 'key-manager' | 'compute' | 'block-storage' | 'image';

const BELOW: Readonly<Record<Service, string>> = {
  network: '/v2.0',
  'load-balancer': '/v2/lbaas',
  'key-manager': '/v1',
  compute: '',
  'block-storage': '',
  image: '/v2',
};

// biome-ignore lint/suspicious/noExplicitAny: answers of the cloud.
type Called = Promise<any>;

/** A call of the cloud itself, behind Virga's back. */
export function behind(service: Service, method: string, url: string, body?: object): Called {
  const { id, secret } = access?.credential ?? {};
  const identity = { methods: ['application_credential'], application_credential: { id, secret } };
  return called({ identity }, service, method, url, body);
}

/** Another image of the project. @returns the cloud's id of it */
export async function newImage(name: string): Promise<string> {
  const image = { name, disk_format: 'raw', container_format: 'bare' };
  const { id } = await behind('image', 'POST', '/images', image);
  await behind('image', 'PUT', `/images/${id}/file`, Buffer.from('tiny'.repeat(1024)));
  return id;
}

/** The same in the name of who may do everything. */
export function administrator(service: Service, method: string, url: string, body?: object): Called {
  const { name, password, project } = access?.administrator ?? {};
  const domain = { id: 'default' };
  const identity = { methods: ['password'], password: { user: { name, domain, password } } };
  return called({ identity, scope: { project: { name: project, domain } } }, service, method, url, body);
}

/** Another credential of the same rights, which ends.
 *  @param days from now */
export async function endingCredential(
  days: number,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { password } = access?.administrator ?? {};
  const domain = { id: 'default' };
  const identity = { methods: ['password'], password: { user: { name: 'virga', domain, password } } };
  const auth = { identity, scope: { project: { id: access?.project_id } } };
  const { token, key } = await signIn(auth);
  const at = new Date(Date.now() + days * 86_400_000).toISOString().replace('Z', '');
  const answer = await fetch(`${access?.auth_url}/users/${token.user.id}/application_credentials`, {
    method: 'POST',
    headers: { 'x-auth-token': key, 'content-type': 'application/json' },
    body: JSON.stringify({ application_credential: { name: `ends ${at}`, expires_at: at } }),
  });
  if (!answer.ok) throw new Error(`a credential: ${answer.status} ${await answer.text()}`);
  const { application_credential: made } = (await answer.json()) as {
    application_credential: Access['credential'];
  };
  return { id: made.id, secret: made.secret };
}

async function signIn(auth: object): Promise<{ readonly token: Token; readonly key: string }> {
  const headers = { 'content-type': 'application/json' };
  const sent = { method: 'POST', headers, body: JSON.stringify({ auth }) };
  const signedIn = await fetch(`${access?.auth_url}/auth/tokens`, sent);
  const { token } = (await signedIn.json()) as { token: Token };
  return { token, key: signedIn.headers.get('x-subject-token') ?? '' };
}

async function called(auth: object, service: Service, method: string, url: string, body?: object): Called {
  const { token, key } = await signIn(auth);
  const base = token.catalog.find(({ type }) => type === service)?.endpoints[0]?.url;
  const answer = await fetch(`${base}${BELOW[service]}${url}`, {
    method,
    headers: {
      'x-auth-token': key,
      'content-type': Buffer.isBuffer(body) ? 'application/octet-stream' : 'application/json',
      'openstack-api-version': service === 'compute' ? 'compute 2.90' : 'volume 3.64',
    },
    body: body === undefined ? null : Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return text === '' ? {} : JSON.parse(text);
}

interface Token {
  readonly user: { readonly id: string };
  readonly catalog: readonly {
    readonly type: string;
    readonly endpoints: readonly { readonly url: string }[];
  }[];
}
