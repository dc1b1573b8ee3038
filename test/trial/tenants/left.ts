import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { waitUntil } from '../../harness/wait.ts';
import { type Lab, MACHINES } from '../lab.ts';
import { cmdlines } from './programs.ts';
import { REGION, type Tenant } from './tenant.ts';

/** What is left of a tenant when its deletion has ended: rows, processes, and in the end files. A machine that does not
 *  serve the region is rid of them soon after. Addresses are looked at in the end, since others may have them by then. */
export async function leftOf(tenant: Tenant): Promise<string[]> {
  const { lab, name, id, project, bucket } = tenant;
  const left: string[] = [];
  // The database may be away just now.
  const query = (text: string) =>
    waitUntil(() => lab.primary.query(text, 'virga'), { what: `an answer to ${text}`, intervalMs: 250 });
  const columns = await query(
    `select c.table_name as table, c.column_name as column from information_schema.columns c
       join pg_class k on k.relname = c.table_name and k.relnamespace = 'public'::regnamespace
      where c.table_schema = 'public' and not k.relispartition and k.relkind in ('r', 'p')
        and c.column_name in ('client_id', 'project_id')`,
  );
  for (const { table, column } of columns) {
    const value = column === 'client_id' ? id : project;
    const rows = await query(`select to_jsonb(t) as row from ${table} t where ${column} = ${value}`);
    left.push(...rows.map(({ row }) => `a row of ${table}: ${JSON.stringify(row).slice(0, 200)}`));
  }
  const mail = await query(`select 1 from mail_outbox where to_jsonb(mail_outbox)::text like '%${name}@%'`);
  if (mail.length > 0) left.push(`${mail.length} mails`);
  const marks = [...tenant.marks.map((mark) => new RegExp(mark)), ...(bucket ? [storage(bucket.id)] : [])];
  // Storages of other clouds on this machine have the same numbers.
  const isOurs = (line: string) => MACHINES.some((machine) => line.includes(lab.dataDir(machine)));
  for (const line of cmdlines())
    if (marks.some((mark) => mark.test(line)) && isOurs(line)) left.push(`a process: ${line}`);
  const hasFiles = () => filesOf(lab, marks).length > 0;
  await waitUntil(() => !hasFiles(), { what: 'all machines to be rid of its files' }).catch(() => undefined);
  left.push(...filesOf(lab, marks));
  return left.map((what) => `of ${name}, which was deleted: ${what}`);
}

function filesOf(lab: Lab, marks: readonly RegExp[]): string[] {
  const left: string[] = [];
  for (const machine of MACHINES) {
    const region = path.join(lab.dataDir(machine), 'regions', String(REGION));
    if (!existsSync(region)) continue;
    for (const engine of readdirSync(region, { withFileTypes: true })) {
      if (!engine.isDirectory()) continue;
      const files = readdirSync(path.join(region, engine.name));
      left.push(
        ...files
          .filter((file) => marks.some((mark) => mark.test(file)))
          .map((file) => `files on ${machine}: ${engine.name}/${file}`),
      );
    }
  }
  return left;
}

const storage = (id: number) => new RegExp(`storage-${id}(?!\\d)`);
