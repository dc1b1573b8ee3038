// @ts-check
import path from 'node:path';
import { fetchDocument } from '../document.mjs';
import { pythonPackages } from '../packages.mjs';

const PROGRAM = `
import os
from judged import AuthenticatedClient
from judged.api.projects import list_projects

client = AuthenticatedClient(os.environ["API_URL"], token=os.environ["API_TOKEN"], prefix="APIKey")
answer = list_projects.sync_detailed(client=client)
assert answer.status_code == 200 and answer.parsed.results[0].name, answer
`;

/** @type {import('../tool.d.ts').Tool} */
export const openapiPythonClient = {
  name: 'openapi-python-client',
  version: '0.29.1',
  does: 'a Python client of `/openapi.json`, whose every module compiles, and which lists projects',
  needs: ['python3'],
  async run(context) {
    const { work, run, server } = context;
    const bin = await pythonPackages(context, ['openapi-python-client==0.29.1']);
    await fetchDocument(server, '/openapi.json', path.join(work, 'openapi.json'));
    const words = [
      'generate',
      '--path',
      'openapi.json',
      '--meta',
      'none',
      '--output-path',
      'judged',
      '--fail-on-warning',
    ];
    await run(path.join(bin, 'openapi-python-client'), words, {
      env: { ...context.env, PATH: `${bin}:${process.env.PATH}` },
    });
    const python = path.join(bin, 'python');
    await run(python, ['-m', 'compileall', '-q', 'judged']);
    await run(python, ['-'], { input: PROGRAM });
    return undefined;
  },
};
