import { recordRepair } from '../platform/audit/audit.ts';
import { sql } from '../platform/database/sql.ts';
import type { Cipher } from '../platform/secrets/cipher.ts';
import {
  type Credential,
  createOpenStack,
  type OpenStackSettings,
  type SealedCredential,
  Session,
} from '../providers/openstack/index.ts';
import { engineObjects } from './engine-objects.ts';
import type { ProviderOptions } from './provider-options.ts';
import type { ProviderFactory } from './region-providers.ts';

/** Where a credential belongs: it opens with its own id alone. */
const contextOf = (id: string) => `openstack/${id}`;

/** A credential as a region's entry has it. */
export function sealCredential(cipher: Cipher, { id, secret }: Credential): SealedCredential {
  const { keyId, box } = cipher.seal(secret, contextOf(id));
  return { id, sealed: box.toString('base64'), key_id: keyId };
}

function openCredential(cipher: Cipher, { id, sealed, key_id: keyId }: SealedCredential): Credential {
  return { id, secret: cipher.open({ keyId, box: Buffer.from(sealed, 'base64') }, contextOf(id)) };
}

/** Calls to the cloud of these settings. */
export const cloudSession = (cipher: Cipher, settings: OpenStackSettings, now: () => number): Session =>
  new Session({ settings, credential: () => openCredential(cipher, settings.credential), now });

/** Regions that a cloud of OpenStack serves. No node owns them: any worker does their tasks, and one at a time looks. */
export function openStackRegions({ cipher, db, leases, clock, log }: ProviderOptions): ProviderFactory {
  return ({ id, settings }) => {
    const its = settings.openstack as OpenStackSettings | undefined;
    if (!its) throw new Error(`region ${id} has no settings of its cloud: add \`settings\` to its entry`);
    const now = () => clock.now().getTime();
    const session = cloudSession(cipher, its, now);
    const { volumes, images, instances, ...always } = createOpenStack({
      settings: its,
      session,
      objects: engineObjects(db, id),
      log,
      now,
      repaired: async (subject, what) => {
        const lb = await db.row<{ project_id: number }>(
          sql`select project_id from load_balancers where id = ${subject}`,
        );
        const repair = {
          at: clock.timestamp(),
          action: 'repair_loadbalancer',
          subject,
          regionId: id,
          what,
        };
        if (lb) await recordRepair(db, Object.assign({ projectId: lb.project_id }, repair));
      },
      publicImages: async () => {
        const rows = await db.rows<{ id: string; name: string }>(
          sql`select id, name from images where region_id = ${id} and project_id is null`,
        );
        const engineIds = new Map<string, string | null>();
        for (const row of rows) {
          const named = its.volumes?.images?.find(({ name }) => name === row.name);
          engineIds.set(row.id, named?.image_id ?? null);
        }
        return engineIds;
      },
      mayLook: () => leases.hold(`openstack region ${id}`),
    });
    // What the cloud has not is known once somebody has signed in.
    if (volumes) session.identity().catch(() => undefined);
    const hasVolumes = () => !session.lacks('block-storage');
    const hasInstances = () => hasVolumes() && !session.lacks('compute');
    return {
      ...always,
      get volumes() {
        return hasVolumes() ? volumes : undefined;
      },
      get images() {
        return hasVolumes() && !session.lacks('image') ? images : undefined;
      },
      get instances() {
        return hasInstances() ? instances : undefined;
      },
      get capabilities() {
        return { kvm: instances !== undefined && hasInstances() };
      },
      cloud: session,
    };
  };
}
