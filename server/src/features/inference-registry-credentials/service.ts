import { Conflict, NotFound } from '../../kernel/errors.ts';
import { recordAudit } from '../../platform/audit/audit.ts';
import { constraintOf, type Tx } from '../../platform/database/db.ts';
import { viewPage } from '../../platform/database/list-page.ts';
import { refuseMore } from '../../platform/database/refuse-more.ts';
import type { ProjectContext } from '../../platform/http/context.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import { guardProject } from '../projects/index.ts';
import type {
  CreateRegistryCredentials,
  RegistryCredentials as Credentials,
  CredentialsListQuery,
  ReplaceRegistryCredentials,
} from './schema.ts';
import * as store from './store.ts';

/** Of one project. */
export const MAX_CREDENTIALS = 1000;

/** Where a password belongs; one that is copied to another row does not open there. */
const contextOf = (projectId: number, name: string) => `inference_registry_credentials/${projectId}/${name}`;

const unknown = (name: string) => new NotFound(`Inference registry credentials ${name} were not found`);

/** Commands and reads on the registry credentials of a project. Passwords are written, and never shown. */
export class RegistryCredentials {
  readonly #cipher: Cipher;

  constructor(cipher: Cipher) {
    this.#cipher = cipher;
  }

  /** @throws Conflict when the name is in use, Forbidden for one too many */
  async create(ctx: ProjectContext, input: CreateRegistryCredentials): Promise<Credentials> {
    const row = this.#seal(ctx, input);
    try {
      await ctx.db.transaction(async (tx) => {
        await guardProject(tx, ctx.project.id);
        await refuseMore(tx, {
          what: 'inference registry credentials',
          owner: `project ${ctx.project.id}`,
          limit: MAX_CREDENTIALS,
          count: () => store.countCredentials(tx, ctx.project.id),
        });
        await store.insertCredentials(tx, row);
        await audit(tx, ctx, 'create', input.name);
      });
    } catch (error) {
      if (constraintOf(error) !== 'inference_registry_credentials_pkey') throw error;
      throw new Conflict(`Inference registry credentials with the name ${input.name} exist already`);
    }
    return view(row);
  }

  /** @throws NotFound */
  async replace(ctx: ProjectContext, name: string, input: ReplaceRegistryCredentials): Promise<Credentials> {
    const row = this.#seal(ctx, { ...input, name });
    await ctx.db.transaction(async (tx) => {
      if (!(await store.replaceCredentials(tx, row))) throw unknown(name);
      await audit(tx, ctx, 'replace', name);
    });
    return view(row);
  }

  /** @throws NotFound */
  async delete(ctx: ProjectContext, name: string): Promise<void> {
    await ctx.db.transaction(async (tx) => {
      if (!(await store.deleteCredentials(tx, ctx.project.id, name))) throw unknown(name);
      await audit(tx, ctx, 'delete', name);
    });
  }

  /** @throws NotFound */
  async get(ctx: ProjectContext, name: string): Promise<Credentials> {
    const row = await store.readCredentials(ctx.db, ctx.project.id, name);
    if (!row) throw unknown(name);
    return view(row);
  }

  /** In the order of names. */
  async list(ctx: ProjectContext, page: CredentialsListQuery) {
    return viewPage(await store.listCredentials(ctx.db, ctx.project.id, page), view);
  }

  #seal(
    ctx: ProjectContext,
    { name, registry_url, username, password }: CreateRegistryCredentials,
  ): store.NewCredentials {
    const { keyId, box } = this.#cipher.seal(password, contextOf(ctx.project.id, name));
    const timestamp = ctx.clock.timestamp();
    return {
      project_id: ctx.project.id,
      name,
      registry_url,
      username,
      key_id: keyId,
      sealed: box,
      timestamp,
    };
  }
}

const view = ({ name, project_id, registry_url, username }: store.CredentialsRow): Credentials => ({
  name,
  project_id,
  registry_url,
  username,
});

/** Encrypts what is under another key anew under the current one. */
export async function resealRegistryPasswords(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await store.lockPasswordsNotUnder(tx, cipher.currentKeyId);
  for (const { project_id, name, key_id, sealed } of rows) {
    const context = contextOf(project_id, name);
    const { keyId, box } = cipher.seal(cipher.open({ keyId: key_id, box: sealed }, context), context);
    await store.reencryptPassword(tx, { project_id, name, key_id: keyId, sealed: box });
  }
  return rows.length;
}

const audit = (tx: Tx, ctx: ProjectContext, verb: string, name: string): Promise<void> =>
  recordAudit(tx, ctx, {
    action: `${verb}_inference_registry_credentials`,
    projectId: ctx.project.id,
    subject: name,
    name,
  });
