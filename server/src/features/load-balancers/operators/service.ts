import { Locked, NotFound } from '../../../kernel/errors.ts';
import { recordAudit } from '../../../platform/audit/audit.ts';
import type { Tx } from '../../../platform/database/db.ts';
import type { RequestContext } from '../../../platform/http/context.ts';
import { patchReadOnlyTags, type Tag, viewTags } from '../../../platform/http/tags.ts';
import type { DdosProfileInput, DdosProfileRecord } from '../schema-ddos.ts';
import * as store from './store.ts';

/** Commands of operators on any client's load balancer; one transaction each, with its audit entry. */

/** Records the profile of advanced DDoS protection in place of the one before.
 *  @throws NotFound */
export async function setDdosProfile(
  ctx: RequestContext,
  id: string,
  input: DdosProfileInput,
): Promise<DdosProfileRecord> {
  return operate(ctx, id, 'set_ddos_profile', (tx) =>
    store.writeProfile(tx, id, profileOf(input), ctx.clock.timestamp()),
  );
}

/** @throws NotFound, also when there is no profile */
export async function clearDdosProfile(ctx: RequestContext, id: string): Promise<void> {
  await operate(ctx, id, 'clear_ddos_profile', async (tx) => {
    if (!(await store.deleteProfile(tx, id))) throw new NotFound(`Load balancer ${id} has no DDoS profile`);
  });
}

/** Sets and removes tags that users cannot change, as a merge patch over those that are read-only.
 *  @throws Invalid, NotFound, Conflict while a task holds the load balancer: its undo would revert them */
export async function changeReadOnlyTags(
  ctx: RequestContext,
  id: string,
  patch: Readonly<Record<string, string | null>> | null,
): Promise<{ count: number; results: Tag[] }> {
  return operate(ctx, id, 'change_read_only_tags', async (tx, row) => {
    if (row.task_id !== null) throw new Locked(`Load balancer ${id} is being changed and`, row.task_id);
    const tags = patchReadOnlyTags(row.tags, patch);
    await store.writeTags(tx, id, tags, ctx.clock.timestamp());
    const results = viewTags(tags);
    return { count: results.length, results };
  });
}

async function operate<T>(
  ctx: RequestContext,
  id: string,
  action: string,
  change: (tx: Tx, row: store.OperatedRow) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    const row = await store.lockAnybodys(tx, id);
    if (!row) throw new NotFound(`Load balancer ${id} was not found`);
    const result = await change(tx, row);
    await recordAudit(tx, ctx, {
      action,
      subject: id,
      projectId: row.project_id,
      regionId: row.region_id,
    });
    return result;
  });
}

/** What is kept: the fields of the record and no others, those that were not given as null or empty. */
function profileOf(input: DdosProfileInput): Omit<DdosProfileRecord, 'id'> {
  const { options, status, profile_template: template } = input;
  return {
    options: { active: options.active, bgp: options.bgp },
    site: input.site ?? null,
    status: status ? { status: status.status, error_description: status.error_description } : null,
    protocols: input.protocols?.map(({ port, protocols }) => ({ port, protocols })) ?? null,
    profile_template_description: input.profile_template_description ?? null,
    profile_template: template
      ? {
          id: template.id,
          name: template.name,
          description: template.description,
          fields: template.fields.map(templateField),
        }
      : null,
    fields: (input.fields ?? []).map((field) => ({
      ...templateField(field),
      base_field: field.base_field,
      field_value: field.field_value,
      value: field.value,
    })),
  };
}

type TemplateField = NonNullable<DdosProfileRecord['profile_template']>['fields'][number];

function templateField(field: TemplateField): TemplateField {
  const { id, name, description, field_type, required, validation_schema } = field;
  return { id, name, description, default: field.default, field_type, required, validation_schema };
}
