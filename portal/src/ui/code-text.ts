import type { ApiCall } from '../api/client.ts';

/** A call of the API as somebody would write it elsewhere. */

export interface Call extends Pick<ApiCall, 'method' | 'path'> {
  readonly body?: unknown;
  /** What it needs; absent: a role of people. */
  readonly role?: ApiCall['role'];
  /** The same as a resource of the infrastructure tool. */
  readonly terraform?: string;
}

const address = () => location.origin;
/** In single quotes of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** As one word of a shell: `?` and `&` mean something else there. */
const asWord = (text: string) => (/^[\w./:@%+,-]+$/.test(text) ? text : quoted(text));

/** The variable with the token, as the file of the first run names it. */
const tokenFor = ({ role }: Call) => (role === 'operator' ? 'OPERATOR_TOKEN' : 'API_TOKEN');

export function curlOf(call: Call): string {
  const { method, path, body } = call;
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${asWord(`${address()}${path}`)}`,
    `  -H "Authorization: APIKey $${tokenFor(call)}"`,
  ];
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`, `  -d ${quoted(JSON.stringify(body, null, 2))}`);
  }
  return lines.join(' \\\n');
}

export function pythonOf(call: Call): string {
  const { method, path, body } = call;
  const given = body === undefined ? '' : `,\n    json=${pythonValue(body, 1)}`;
  return [
    'import os, requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    `    "${address()}${path}",`,
    `    headers={"Authorization": f"APIKey {os.environ['${tokenFor(call)}']}"}${given},`,
    ')',
    'answer.raise_for_status()',
    'print(answer.text)',
  ].join('\n');
}

function pythonValue(value: unknown, depth: number): string {
  const pad = '    '.repeat(depth + 1);
  const end = '    '.repeat(depth);
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => `${pad}${pythonValue(item, depth + 1)},\n`).join('')}${end}]`;
  }
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return `{\n${entries.map(([key, item]) => `${pad}${JSON.stringify(key)}: ${pythonValue(item, depth + 1)},\n`).join('')}${end}}`;
  }
  return JSON.stringify(value);
}
