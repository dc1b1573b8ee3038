// @ts-check
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findProgram } from '../../lib/system-packages.mjs';

const SETTINGS = ['JUDGE_PROVIDER', 'JUDGE_PROVIDER_SOURCE', 'JUDGE_PROVIDER_CONFIG'];

/** @type {import('../tool.d.ts').Tool} */
export const provider = {
  name: 'provider',
  version: '`JUDGE_PROVIDER`',
  does: 'a provider of an infrastructure tool, built elsewhere, with a configuration (`JUDGE_PROVIDER_CONFIG`): apply, an empty plan, destroy',
  async run({ run, work, env }) {
    const [binary, source, config] = SETTINGS.map((name) => process.env[name]);
    if (!binary) return 'not run: `JUDGE_PROVIDER` names none';
    if (!source || !config) throw new Error(`${SETTINGS.join(', ')} have to be set together`);
    const program = ['tofu', 'terraform'].find((name) => findProgram(name));
    if (program === undefined) return 'not run: neither tofu nor terraform is installed';
    if (!existsSync(binary)) throw new Error(`${binary} does not exist`);
    const [binaries, folder] = [path.join(work, 'binaries'), path.join(work, 'config')];
    mkdirSync(binaries);
    symlinkSync(path.resolve(binary), path.join(binaries, `terraform-provider-${path.basename(source)}`));
    const overrides = `dev_overrides { "${source}" = "${binaries}" }\n  direct {}`;
    writeFileSync(path.join(work, 'cli.tfrc'), `provider_installation {\n  ${overrides}\n}\n`);
    cpSync(config, folder, { recursive: true });
    const options = {
      cwd: folder,
      env: {
        ...env,
        TF_CLI_CONFIG_FILE: path.join(work, 'cli.tfrc'),
        TF_IN_AUTOMATION: '1',
        TF_VAR_api_url: env.API_URL,
        TF_VAR_api_token: env.API_TOKEN,
      },
    };
    const step = (/** @type {string[]} */ ...words) =>
      run(program, [...words, '-input=false', '-no-color'], options);
    await step('apply', '-auto-approve');
    // It ends with 2 when something would change.
    await step('plan', '-detailed-exitcode');
    await step('destroy', '-auto-approve');
    return undefined;
  },
};
