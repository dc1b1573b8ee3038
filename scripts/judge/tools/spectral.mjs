// @ts-check
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { npmPackages } from '../packages.mjs';

/** @type {import('../tool.d.ts').Tool} */
export const spectral = {
  name: 'spectral',
  version: '6.16.3',
  does: 'reads `/openapi.json` and `/openapi-3.0.json` by its rules for OpenAPI',
  async run(context) {
    const { server, run, work } = context;
    const folder = await npmPackages(context, ['@stoplight/spectral-cli@6.16.3']);
    const program = path.join(folder, 'node_modules', '.bin', 'spectral');
    writeFileSync(path.join(work, 'rules.yaml'), 'extends: spectral:oas\n');
    for (const name of ['openapi.json', 'openapi-3.0.json'])
      await run(program, [
        'lint',
        '--ruleset',
        'rules.yaml',
        '--fail-severity',
        'warn',
        `${server.url}/${name}`,
      ]);
    return undefined;
  },
};
