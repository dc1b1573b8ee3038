import http from 'node:http';
import type pg from 'pg';

/** How PostgreSQL answers the statements of a request, as it says itself. */

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Plan {
  /** How rows are found, those scans first that read most. */
  readonly scans: string;
  /** How many rows, and entries of indexes, were read in all. */
  readonly read: number;
}

/** The statements that a server sent since it was asked before; see recorder.mjs. */
export function recorded(socket: string): Promise<readonly Statement[]> {
  return new Promise((resolve, reject) => {
    http
      .get({ socketPath: socket, path: '/' }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(JSON.parse(text)));
      })
      .on('error', reject);
  });
}

const READS = /^\s*(select|with)\b/i;
/** What does more than read. */
const WRITES = /\b(insert into|update \w+ set|delete from|for update|for share|pg_notify|nextval)\b/i;

/** Runs them again, and sums up what they read. */
export async function planOf(client: pg.Client, statements: readonly Statement[]): Promise<Plan> {
  const scans: { readonly words: string; readonly read: number }[] = [];
  for (const { text, values } of statements) {
    if (!READS.test(text) || WRITES.test(text)) continue;
    const { rows } = await client.query(`explain (analyze, timing off, format json) ${text}`, [...values]);
    scans.push(...scansOf(rows[0]['QUERY PLAN'][0].Plan));
  }
  scans.sort((a, b) => b.read - a.read);
  return {
    scans: [...new Set(scans.slice(0, 2).map(({ words, read }) => `${words} (${read})`))].join(', '),
    read: scans.reduce((sum, { read }) => sum + read, 0),
  };
}

function scansOf(node: PlanNode): { words: string; read: number }[] {
  const inner = (node.Plans ?? []).flatMap(scansOf);
  const from = node['Index Name'] ?? node['Relation Name'];
  if (from === undefined || !node['Node Type'].endsWith('Scan')) return inner;
  const passed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const read = Math.round((node['Actual Rows'] + passed) * node['Actual Loops']);
  return [{ words: `${node['Node Type']} ${from}`, read }, ...inner];
}
