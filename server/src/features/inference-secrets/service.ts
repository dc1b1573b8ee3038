import { Conflict, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { ProjectContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { guardProject } from '../projects/index.ts';
import type {
  CreateInferenceSecret,
  InferenceSecret,
  ReplaceInferenceSecret,
  SecretData,
  SecretListQuery,
} from './schema.ts';
import * as store from './store.ts';

/** Of one project. */
export const MAX_SECRETS = 1000;

/** Where a value belongs; a value copied to another row does not open there. */
const contextOf = (projectId: number, name: string) => `inference_secrets/${projectId}/${name}`;

/** Commands and reads on the inference secrets of a project. Reading one is as much an act as changing one:
 *  both leave a record in the same transaction, so that no value is shown without it. */
export class InferenceSecrets {
  readonly #cipher: Cipher;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  /** @throws Conflict when the name is in use, Forbidden for one too many */
  async create(ctx: ProjectContext, input: CreateInferenceSecret): Promise<InferenceSecret> {
    try {
      await ctx.db.transaction(async (tx) => {
        await guardProject(tx, ctx.project.id);
        await refuseMore(tx, {
          what: 'inference secrets',
          owner: `project ${ctx.project.id}`,
          limit: MAX_SECRETS,
          count: () => store.countSecrets(tx, ctx.project.id),
        });
        await store.insertSecret(tx, this.#seal(ctx, input));
        await audit(tx, ctx, 'create', input.name);
      });
    } catch (error) {
      if (constraintOf(error) !== 'inference_secrets_pkey') throw error;
      throw new Conflict(`An inference secret with the name ${input.name} exists already`);
    }
    return { name: input.name, type: input.type, data: known(input.data) };
  }

  /** @throws NotFound */
  async replace(ctx: ProjectContext, name: string, input: ReplaceInferenceSecret): Promise<InferenceSecret> {
    await ctx.db.transaction(async (tx) => {
      if (!(await store.replaceSecret(tx, this.#seal(ctx, { ...input, name })))) throw unknown(name);
      await audit(tx, ctx, 'replace', name);
    });
    return { name, type: input.type, data: known(input.data) };
  }

  /** @throws NotFound */
  async delete(ctx: ProjectContext, name: string): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      if (!(await store.deleteSecret(tx, ctx.project.id, name))) throw unknown(name);
      await audit(tx, ctx, 'delete', name);
    });
  }

  /** @throws NotFound */
  async get(ctx: ProjectContext, name: string): Promise<InferenceSecret> {
    return ctx.db.transaction(async (tx) => {
      const row = await store.readSecret(tx, ctx.project.id, name);
      if (!row) throw unknown(name);
      await audit(tx, ctx, 'read', name);
      return this.#view(row);
    });
  }

  /** In the order of names. One audit entry names all that the page shows. */
  async list(ctx: ProjectContext, { limit, offset }: SecretListQuery) {
    return ctx.db.transaction(async (tx) => {
      const { count, rows } = await store.listSecrets(tx, ctx.project.id, { limit, offset });
      const subject = rows.map(({ name }) => name).join(',');
      await recordAudit(tx, ctx, { action: 'list_inference_secrets', subject, projectId: ctx.project.id });
      return { count, results: rows.map((row) => this.#view(row)) };
    });
  }

  #seal(ctx: ProjectContext, input: CreateInferenceSecret): store.NewSecret {
    const context = contextOf(ctx.project.id, input.name);
    const { keyId, box } = this.#cipher.seal(JSON.stringify(known(input.data)), context);
    return {
      project_id: ctx.project.id,
      name: input.name,
      type: input.type,
      key_id: keyId,
      sealed: box,
      timestamp: ctx.clock.timestamp(),
    };
  }

  #view(row: store.SecretRow): InferenceSecret {
    const sealed = { keyId: row.key_id, box: row.sealed };
    const data = JSON.parse(this.#cipher.open(sealed, contextOf(row.project_id, row.name))) as SecretData;
    return { name: row.name, type: row.type, data: known(data) };
  }
}

/** What reads show, and nothing that a body has beside it. */
const known = ({ aws_access_key_id, aws_secret_access_key }: SecretData): SecretData => ({
  aws_access_key_id,
  aws_secret_access_key,
});

/** Encrypts what is under another key anew under the current one. */
export async function resealInferenceSecrets(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await store.lockSecretsNotUnder(tx, cipher.currentKeyId);
  for (const row of rows) {
    const context = contextOf(row.project_id, row.name);
    const plain = cipher.open({ keyId: row.key_id, box: row.sealed }, context);
    const { keyId, box } = cipher.seal(plain, context);
    await store.reencryptSecret(tx, { ...row, key_id: keyId, sealed: box });
  }
  return rows.length;
}

const unknown = (name: string) => new NotFound(`Inference secret ${name} was not found`);

const audit = (tx: Tx, ctx: ProjectContext, verb: string, name: string): Promise<void> =>
  recordAudit(tx, ctx, {
    action: `${verb}_inference_secret`,
    projectId: ctx.project.id,
    subject: name,
    name,
  });
