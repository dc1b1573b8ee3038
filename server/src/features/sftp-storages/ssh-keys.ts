import type { Static } from '@sinclair/typebox';
import { Conflict, Forbidden, Invalid, Locked, NotFound } from '../../kernel/errors.ts';
import { constraintOf } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import type { RequestContext } from '../../platform/http/context.ts';
import { readOrder } from '../object-storage/index.ts';
import { parsePublicKey, publicKeyBits } from '../ssh-keys/index.ts';
import * as keys from './key-store.ts';
import type { CreateSshKey, SshKeyListQuery } from './schema.ts';
import { type SftpService, update } from './storages.ts';
import { lockClient, lockThoseOfKey } from './store.ts';
import { viewSshKey } from './views.ts';

/** Calls about the SSH keys that open SFTP storages. They belong to an account. */

/** Keys that an account can have. */
export const MAX_KEYS = 1000;
const LEAST_RSA_BITS = 2048;
/** Of a key on a security device, whose signatures the servers do not check. */
const DEVICE_KEY = /^sk-/;

export async function listSshKeys(ctx: RequestContext, query: Static<typeof SshKeyListQuery>) {
  const order = readOrder(query.order_by, keys.KEY_ORDER_FIELDS);
  const { limit, offset } = query;
  const filter = { clientId: ctx.caller.clientId, name: query.name || null, order, limit, offset };
  return viewPage(await keys.listKeys(ctx.db, filter), viewSshKey);
}

export type ShownSshKey = ReturnType<typeof viewSshKey>;

/** Those of these ids that there are. */
export const readSshKeys = async (ctx: RequestContext, ids: readonly number[]): Promise<ShownSshKey[]> =>
  (await keys.readKeys(ctx.db, ctx.caller.clientId, ids)).map(viewSshKey);

const missing = (id: number) => new NotFound(`SSH key ${id} was not found`);

/** @throws NotFound */
export async function getSshKey(ctx: RequestContext, id: number) {
  const [row] = await keys.readKeys(ctx.db, ctx.caller.clientId, [id]);
  if (!row) throw missing(id);
  return viewSshKey(row);
}

/** What is wrong with a public key, or undefined. */
export function publicKeyFault(text: string): string | undefined {
  const key = parsePublicKey(text);
  if (!key) return 'must be one public key in the form of OpenSSH, such as ssh-ed25519 AAAA…';
  if (DEVICE_KEY.test(key.text)) return 'must not be the key of a security device; use Ed25519, ECDSA or RSA';
  if (key.text.startsWith('ssh-rsa') && publicKeyBits(key.text) < LEAST_RSA_BITS)
    return `must have ${LEAST_RSA_BITS} bits or more`;
  return undefined;
}

/** @throws Invalid, Forbidden, Conflict when the name is in use */
export async function createSshKey(ctx: RequestContext, { name, public_key: given }: CreateSshKey) {
  const key = parsePublicKey(given);
  if (!key) throw new Invalid({ public_key: [publicKeyFault(given) ?? 'is no public key'] });
  const { clientId } = ctx.caller;
  try {
    return await ctx.db.transaction(async (tx) => {
      await lockClient(tx, clientId);
      if ((await keys.countKeys(tx, clientId)) >= MAX_KEYS)
        throw new Forbidden(`An account has at most ${MAX_KEYS} SSH keys for storages`);
      const row = { client_id: clientId, name: name.trim(), public_key: key.text };
      return viewSshKey(await keys.insertKey(tx, row, ctx.clock.timestamp()));
    });
  } catch (error) {
    if (constraintOf(error) === 'storage_ssh_keys_name')
      throw new Conflict(`An SSH key with the name ${name.trim()} exists already`);
    throw error;
  }
}

/** It opens no storage any more when this is answered. @throws NotFound, Locked when a storage of it is changing */
export async function deleteSshKey(service: SftpService, ctx: RequestContext, id: number): Promise<void> {
  const { clientId } = ctx.caller;
  const refs = await ctx.db.transaction(async (tx) => {
    await lockClient(tx, clientId);
    if (!(await keys.deleteKey(tx, clientId, id))) throw missing(id);
    const started = [];
    for (const row of await lockThoseOfKey(tx, clientId, id)) {
      if (row.task_id !== null) throw new Locked(`Storage ${row.name}`, row.task_id);
      const ids = row.settings.ssh_key_ids.filter((each) => each !== id);
      started.push(await update(tx, ctx, row, { ...row.settings, ssh_key_ids: ids }));
    }
    return started;
  });
  await Promise.all(
    refs.map((ref) => service.tasks.settled(ctx, ref, `SSH key ${id} could not be removed from a storage`)),
  );
}
