// @ts-check
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { npmPackages } from '../packages.mjs';

const PROGRAM = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';

const headers = { authorization: 'APIKey ' + process.env.API_TOKEN };
const client = createClient<paths>({ baseUrl: process.env.API_URL ?? '', headers });
const { data, error } = await client.GET('/cloud/v1/projects');
if (error !== undefined) throw new Error(JSON.stringify(error));
const names: string[] = data.results.map((project) => project.name);
if (names.length !== data.count || names.length === 0) throw new Error('no projects');
`;

/** @type {import('../tool.d.ts').Tool} */
export const openapiTypescript = {
  name: 'openapi-typescript',
  version: '7.13.0',
  does: 'types of `/openapi.json`; a strict program with them compiles and lists projects',
  async run(context) {
    const { server, run, env } = context;
    const folder = await npmPackages(context, [
      'openapi-typescript@7.13.0',
      'openapi-fetch@0.17.0',
      'typescript@5.9.3',
      '@types/node@20.19.43',
    ]);
    const bin = (/** @type {string} */ name) => path.join(folder, 'node_modules', '.bin', name);
    await run(bin('openapi-typescript'), [`${server.url}/openapi.json`, '-o', 'schema.ts'], { cwd: folder });
    writeFileSync(path.join(folder, 'main.ts'), PROGRAM);
    const strict = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    await run(bin('tsc'), [...strict, 'main.ts'], { cwd: folder });
    await run(process.execPath, ['main.js'], { cwd: folder, env });
    return undefined;
  },
};
