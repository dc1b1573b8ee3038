import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { Context } from './context.ts';
import { linesOf } from './failures.ts';
import { TABLE } from './operations.ts';
import { runOperation } from './run-operation.ts';
import { type ArgumentRow, type FlagRow, type OperationRow, scopesOf } from './table/shapes.ts';
import type { Terminal } from './terminal.ts';
import { VERSION } from './version.ts';

/** The Model Context Protocol: the verbs of the command as tools. A program of its own, so that the command starts
 *  without it. */

export interface McpOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly profile?: string | undefined;
  readonly allowWrites: boolean;
  /** Of the clone, or of the package: where the documents are. */
  readonly root: string;
}

/** What is sent to read, since it needs a body. */
const READING = /^(price|check-limits|read-|estimate-|preview|validate-)/;

const isRead = ({ method, verb }: OperationRow): boolean => method === 'GET' || READING.test(verb);
const nameOf = ({ noun, verb }: OperationRow): string => `${noun}_${verb}`.replaceAll('-', '_');

/** Serves on standard input and output until the input ends. */
export async function serveMcp(options: McpOptions): Promise<void> {
  const rows = TABLE.operations.filter(
    (row) => !row.old && !row.stream && (options.allowWrites || isRead(row)),
  );
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  const server = new Server(
    { name: 'virga', version: VERSION },
    { capabilities: { tools: {}, resources: {} } },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools: rows.map(toolOf) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const row = byName.get(params.name);
    if (!row)
      return failed([
        `There is no tool ${params.name}${options.allowWrites ? '' : '; tools that change something need virga mcp --allow-writes'}`,
      ]);
    return call(row, params.arguments ?? {}, options);
  });
  const resources = new Resources(options);
  server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: resources.list() }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params }) => ({
    contents: [await resources.read(params.uri)],
  }));
  const transport = new StdioServerTransport();
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    process.stdin.once('end', resolve);
  });
  await server.connect(transport);
  await closed;
  await server.close();
}

type Schema = Readonly<Record<string, unknown>>;

function toolOf(row: OperationRow): Tool {
  const scopes = scopesOf(row).map((name) => [name.replace(/_?[iI]d$/, ''), SCOPE] as const);
  const properties = {
    ...Object.fromEntries(row.args.map((arg) => [arg.name, schemaOfArgument(arg)])),
    ...Object.fromEntries(row.flags.map((flag) => [flag.name, schemaOf(flag)])),
    ...Object.fromEntries(scopes),
    ...(row.body === 'any' && { body: { description: 'The body of the call' } }),
  };
  const needed = row.flags.filter((flag) => flag.needed).map(({ name }) => name);
  return {
    name: nameOf(row),
    description: row.means,
    inputSchema: {
      type: 'object',
      properties,
      required: [...row.args.map(({ name }) => name), ...needed, ...(row.body === 'any' ? ['body'] : [])],
    },
    annotations: { readOnlyHint: isRead(row), destructiveHint: row.risky === true },
  };
}

const SCOPE: Schema = { type: ['string', 'integer'], description: 'Id or name; default: the usual one' };

const schemaOfArgument = ({ name, list }: ArgumentRow): Schema => ({
  type: ['string', 'integer'],
  description: list ? `Id or name of the ${name.replace(/_?[iI]d$/, '').replaceAll('_', ' ')}` : name,
});

function schemaOf({ kind, means, many, values, list }: FlagRow): Schema {
  const description = list ? `${means} Its name does as well.` : means;
  if (kind === 'json') return { description };
  if (kind === 'pairs')
    return { type: 'object', additionalProperties: { type: ['string', 'null'] }, description };
  const one = { type: kind, ...(values && { enum: values }) };
  return many ? { type: 'array', items: one, description } : { ...one, description };
}

type Given = Readonly<Record<string, unknown>>;

async function call(row: OperationRow, given: Given, options: McpOptions): Promise<CallToolResult> {
  const printed: string[] = [];
  const text = (name: string) => (given[name] === undefined ? undefined : String(given[name]));
  const [project, region, client] = ['project', 'region', 'client'].map(text);
  const globals = {
    output: 'json' as const,
    yes: true,
    quiet: true,
    ...(options.profile !== undefined && { profile: options.profile }),
    ...(project !== undefined && { project }),
    ...(region !== undefined && { region }),
    ...(client !== undefined && { client }),
  };
  const body = row.body === 'any' ? JSON.stringify(given.body ?? null) : '';
  const context = new Context(
    silentTerminal(options, (line) => printed.push(line), body),
    globals,
  );
  const flags = Object.fromEntries(
    row.flags
      .filter(({ name }) => given[name] !== undefined)
      .map((flag) => [flag.name, asFlag(flag, given[flag.name])]),
  );
  const args = row.args.map(({ name }) => text(name) ?? '');
  try {
    await runOperation(row, { args, flags, ...(row.body === 'any' && { file: '-' }) }, context);
    return { content: [{ type: 'text', text: printed.join('\n') || 'Done' }] };
  } catch (error) {
    return failed(linesOf(error));
  }
}

const failed = (lines: readonly string[]): CallToolResult => ({
  content: [{ type: 'text', text: lines.join('\n') }],
  isError: true,
});

/** As it would stand behind a flag. What begins with @ is a text, and no file of this machine. */
function asFlag({ kind }: FlagRow, value: unknown): unknown {
  if (kind === 'json' || kind === 'pairs')
    return typeof value === 'string' ? escaped(value) : JSON.stringify(value);
  return Array.isArray(value)
    ? value.map((each) => escaped(String(each)))
    : typeof value === 'boolean'
      ? value
      : escaped(String(value));
}

const escaped = (text: string): string => (text.startsWith('@') ? `@${text}` : text);

/** Nobody is there to read along or to be asked. */
function silentTerminal({ env, cwd }: McpOptions, print: (text: string) => void, input: string): Terminal {
  const nothing = () => {};
  return {
    env,
    cwd,
    print,
    say: nothing,
    columns: undefined,
    isInteractive: false,
    look: { isTerminal: false, hasColor: false, now: new Date() },
    ask: async () => '',
    input: () => input,
    progress: () => ({ show: nothing, end: nothing, clear: nothing }),
    live: () => ({ show: nothing, end: nothing }),
    runProgram: async () => 1,
    onInterrupt: () => nothing,
  };
}

const OPENAPI = 'virga://openapi.json';
const RUNNING = 'virga://tasks/running';
const DOCS = 'virga://docs/';

/** What a model can read: the document of the API, the manual, and what runs now. */
class Resources {
  readonly #options: McpOptions;
  readonly #folder: string;

  constructor(options: McpOptions) {
    this.#options = options;
    this.#folder = path.join(options.root, 'docs');
  }

  list() {
    const documents = readdirSync(this.#folder).filter((name) => name.endsWith('.md'));
    return [
      { uri: OPENAPI, name: 'OpenAPI document', mimeType: 'application/json' },
      { uri: RUNNING, name: 'Tasks that run', mimeType: 'application/json' },
      ...documents.map((name) => ({ uri: `${DOCS}${name}`, name, mimeType: 'text/markdown' })),
    ];
  }

  /** @throws for what is not in the list */
  async read(uri: string) {
    const found = this.list().find((each) => each.uri === uri);
    if (!found) throw new Error(`There is no resource ${uri}`);
    return { uri, mimeType: found.mimeType, text: await this.#textOf(uri) };
  }

  async #textOf(uri: string): Promise<string> {
    if (uri.startsWith(DOCS)) return readFileSync(path.join(this.#folder, uri.slice(DOCS.length)), 'utf8');
    const globals = this.#options.profile === undefined ? {} : { profile: this.#options.profile };
    const { client, cloud } = new Context(
      silentTerminal(this.#options, () => {}, ''),
      globals,
    ).connect();
    if (uri === OPENAPI) return (await fetch(new URL('/openapi.json', cloud.url))).text();
    const { results } = await client.get('/cloud/v1/tasks', {
      params: { query: { state: ['NEW', 'RUNNING'] } },
    });
    return JSON.stringify(results, null, 2);
  }
}
