import { offsetTime } from '../../kernel/codecs.ts';
import { Invalid } from '../../kernel/errors.ts';
import { recordLook } from '../../platform/audit/audit.ts';
import { listPage, viewPage } from '../../platform/database/list-page.ts';
import { join, raw, type Sql, sql } from '../../platform/database/sql.ts';
import type { ClientContext } from '../../platform/http/context.ts';
import { RESOURCES } from '../projects/index.ts';
import type { ClientResourceQuery } from './schema.ts';

/** What a client has, of all kinds. */

/** Of kinds that are in no project: the condition for those that are there. */
const OF_CLIENTS: Readonly<Record<string, string>> = {
  object_storages: `status <> 'deleted'`,
  sftp_storages: `status <> 'deleted'`,
  custom_page_sets: 'true',
};
/** Of kinds whose rows have no name. */
const NAMES: Readonly<Record<string, string>> = {
  floating_ips: 'host(floating_ip_address)',
  reserved_fixed_ips: 'host(ip_address)',
};
/** The column of the id, where it is not `id`. */
const IDS: Readonly<Record<string, string>> = {
  inference_registry_credentials: 'name',
  inference_secrets: 'name',
  reserved_fixed_ips: 'port_id',
};
/** Kinds that are in no region. */
const IN_NO_REGION = new Set([
  'custom_page_sets',
  'inference_registry_credentials',
  'inference_secrets',
  'ssh_keys',
]);
const KINDS = [...Object.keys(RESOURCES), ...Object.keys(OF_CLIENTS)];

interface ResourceRow {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly project_id: number | null;
  readonly region_id: number | null;
  readonly created_at: Date;
}

/** The newest first. Each look is in the log of the client.
 *  @throws Invalid for a kind that there is not */
export async function listResources(ctx: ClientContext, { kind, limit, offset }: ClientResourceQuery) {
  if (kind !== undefined && !KINDS.includes(kind)) {
    throw new Invalid({ kind: [`must be one of: ${KINDS.join(', ')}`] }, 'query');
  }
  await recordLook(ctx, 'resources');
  const parts = (kind === undefined ? KINDS : [kind]).map((each) => rowsOf(each, ctx.clientId));
  const page = await listPage<ResourceRow>(ctx.db, {
    table: 'found',
    alias: 'f',
    columns: sql`f.*`,
    limit,
    offset,
    rows: join(parts, ' union all '),
    order: 'created_at desc, kind, id',
  });
  return viewPage(page, (row) => ({
    kind: row.kind,
    id: row.id,
    name: row.name ?? '',
    project_id: row.project_id,
    region_id: row.region_id,
    created_at: offsetTime(row.created_at),
  }));
}

function rowsOf(kind: string, clientId: number): Sql {
  const ofClient = OF_CLIENTS[kind];
  const region = IN_NO_REGION.has(kind) ? 'null::int' : 'region_id';
  const columns = sql`'${raw(kind)}' as kind, ${raw(IDS[kind] ?? 'id')}::text as id, ${raw(NAMES[kind] ?? 'name::text')} as name,
    ${ofClient === undefined ? sql`project_id` : sql`null::int`} as project_id, ${raw(region)} as region_id, created_at`;
  const where =
    ofClient === undefined
      ? sql`project_id in (select id from projects where client_id = ${clientId}::int)`
      : sql`client_id = ${clientId}::int and ${raw(ofClient)}`;
  return sql`select ${columns} from ${raw(kind)} where ${where}`;
}
