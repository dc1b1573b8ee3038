// @ts-check
import path from 'node:path';
import { npmPackages } from '../packages.mjs';

/** @type {import('../tool.d.ts').Tool} */
export const redocly = {
  name: 'redocly',
  version: '2.77.0',
  does: 'reads `/openapi.json` and `/openapi-3.0.json` by its recommended rules, but for paths that are ambiguous in the contract',
  async run(context) {
    const { server, run } = context;
    const folder = await npmPackages(context, ['@redocly/cli@2.77.0']);
    const program = path.join(folder, 'node_modules', '.bin', 'redocly');
    const env = { ...context.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
    const rules = ['--extends', 'recommended', '--skip-rule', 'no-ambiguous-paths'];
    for (const name of ['openapi.json', 'openapi-3.0.json']) {
      const found = JSON.parse(
        await run(program, ['lint', ...rules, '--format', 'json', `${server.url}/${name}`], { env }),
      );
      if (found.problems.length > 0)
        throw new Error(`${found.problems.length} problems: ${found.problems[0].message}`);
    }
    return undefined;
  },
};
