import { readTime } from '../../kernel/codecs.ts';
import { Conflict, type InvalidFields, Locked } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { RegionContext } from '../../platform/http/context.ts';
import { refuseUnstorable } from '../../platform/http/json.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { startFor, type TaskRef } from '../../platform/tasks/start.ts';
import { guardProject } from '../projects/index.ts';
import { reserve } from '../quotas/index.ts';
import { inspect } from './inspect.ts';
import type { Material } from './material.ts';
import type { CreateSecret, SecretListQuery, SecretPayload } from './schema.ts';
import { LONGEST_PEM } from './schema.ts';
import { seal } from './sealing.ts';
import * as store from './store.ts';
import { viewSecret } from './view.ts';

/** Says who uses a secret, in words (`listener web (id) of load balancer id`), and which task may need it to go
 *  back to what was before. */
export type FindUsers = (
  tx: Tx,
  secretId: string,
) => Promise<{ readonly users: readonly string[]; readonly taskId: string | undefined }>;

/** Of one account: a certificate with its chain has some KiB, and may have a hundred. */
export const MAX_SECRETS_MIB = 64;

const NAME_RULE = 'must be 1 to 255 characters';
const LONGEST_NAME = 255;

/** Commands and reads on the secrets of a project in a region. No read ever shows what they hold. */
export class SecretService {
  readonly #cipher: Cipher;
  readonly #findUsers: FindUsers;

  constructor(cipher: Cipher, findUsers: FindUsers) {
    this.#cipher = cipher;
    this.#findUsers = findUsers;
  }

  /** @throws Invalid with every faulty field, QuotaExceeded, Forbidden when the account keeps too much */
  async create(ctx: RegionContext, input: CreateSecret): Promise<TaskRef> {
    const material = inspect(input.payload, ctx.clock.now());
    const row = this.#newRow(ctx, input, material);
    const { client_id: clientId, project_id: projectId } = row;
    return ctx.db.transaction(async (tx) => {
      await guardProject(tx, projectId);
      await refuseMore(tx, {
        what: 'MiB of secrets',
        owner: `account ${clientId}`,
        limit: MAX_SECRETS_MIB,
        count: async () => Math.floor((await store.bytesOfSecrets(tx, clientId)) / 1024 / 1024),
      });
      await store.insertSecret(tx, row);
      const task = await startFor(tx, ctx, 'create_secret', row, { id: row.task_id });
      await reserve(tx, ctx.quota, { secret_count: 1 });
      return task;
    });
  }

  #newRow(ctx: RegionContext, input: CreateSecret, material: Material) {
    const id = ctx.ids.uuid();
    const { kind, algorithm, bitLength, names, notAfter } = material;
    return {
      id,
      project_id: ctx.project.id,
      region_id: ctx.region.id,
      client_id: ctx.project.clientId,
      name: input.name,
      kind,
      algorithm,
      bit_length: bitLength,
      names,
      expiration: (input.expiration && readTime(input.expiration)) || null,
      not_after: notAfter,
      task_id: ctx.ids.uuid(),
      ...seal(this.#cipher, id, material.content),
      timestamp: ctx.clock.timestamp(),
    };
  }

  /** @throws NotFound; Conflict naming who uses it, or the task that holds it */
  async delete(ctx: RegionContext, id: string): Promise<TaskRef> {
    return ctx.db.transaction(async (tx) => {
      const row = await store.lockSecret(tx, id, ctx.scope);
      refusePending(row);
      await this.#refuseUsed(tx, row);
      const taskId = ctx.ids.uuid();
      await store.markDeleting(tx, row.id, taskId);
      return startFor(tx, ctx, 'delete_secret', row, { id: taskId });
    });
  }

  /** A task that is changing something may still need what was used before. */
  async #refuseUsed(tx: Tx, row: store.SecretRow): Promise<void> {
    const { users, taskId } = await this.#findUsers(tx, row.id);
    if (users.length > 0) {
      throw new Conflict(`Secret ${row.id} is used by ${users.join(', ')}; remove it there first`);
    }
    if (taskId !== undefined) throw new Locked(`Secret ${row.id}`, taskId);
  }

  /** @throws NotFound */
  async get(ctx: RegionContext, id: string) {
    return viewSecret(await store.readSecret(ctx.db, id, ctx.scope));
  }

  /** The newest first. */
  async list(ctx: RegionContext, query: SecretListQuery) {
    refuseUnstorable(query, 'query');
    const { name__contains: namePart, limit, offset } = query;
    const where = { ...ctx.scope, namePart, limit, offset };
    return viewPage(await store.listSecrets(ctx.db, where), viewSecret);
  }
}

/** What a schema cannot find in a body that creates a secret, as far as the body has the right shape. */
export function faultsOf(body: unknown, now: Date): InvalidFields {
  const { name, expiration, payload } = (body ?? {}) as Readonly<Record<string, unknown>>;
  const faults = new Faults();
  if (typeof name === 'string' && (name.trim() === '' || name.length > LONGEST_NAME))
    faults.add('name', NAME_RULE);
  const expires = typeof expiration === 'string' ? readTime(expiration) : undefined;
  if (expires && expires <= now) faults.add('expiration', 'must be a time in the future');
  if (isPayload(payload)) faults.try(() => inspect(payload, now));
  return faults.toError().fields;
}

function isPayload(value: unknown): value is SecretPayload {
  if (typeof value !== 'object' || value === null) return false;
  const { certificate, certificate_chain, private_key } = value as Partial<SecretPayload>;
  return [certificate, certificate_chain, private_key].every(
    (field) => typeof field === 'string' && field.length <= LONGEST_PEM,
  );
}

function refusePending({ id, status, task_id: taskId }: store.SecretRow): void {
  if (taskId === null) return;
  throw new Locked(`Secret ${id} is ${status} and`, taskId);
}
