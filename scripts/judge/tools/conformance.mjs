// @ts-check
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../lib/root.mjs';
import { kubernetesFault } from '../kubernetes.mjs';
import { once } from '../packages.mjs';

/** The makers' conformance tests of the API: those of other groups start images that come from elsewhere. */
const FOCUS = String.raw`\[sig-(api-machinery|auth|architecture|instrumentation)\].*\[Conformance\]`;
/** Need such an image as well, or, of lists in pages, wait until the API server has compacted its history. */
const SKIP =
  'AdmissionWebhook|Aggregator|ConversionWebhook|Garbage collector|ServiceAccounts should (guarantee|mount)|OIDC|chunking';

/** @type {import('../tool.d.ts').Tool} */
export const conformance = {
  name: 'conformance',
  version: '1.36.3',
  does: 'a cluster of a local region: the conformance tests of Kubernetes that need no image from elsewhere',
  needs: ['go'],
  async run({ cache, work, run, server }) {
    const fault = await kubernetesFault();
    if (fault !== undefined) return `not run: ${fault}`;
    const tests = path.join(cache, 'e2e.test');
    await once(cache, () => build(cache, tests, run));
    const kubeconfig = path.join(work, 'kubeconfig');
    writeFileSync(kubeconfig, await server.kubeconfig(), { mode: 0o600 });
    const said = await run(tests, [
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      `--ginkgo.focus=${FOCUS}`,
      `--ginkgo.skip=${SKIP}`,
      '--ginkgo.no-color',
    ]);
    const passed = / (\d+) Passed/.exec(said)?.[1];
    if (!passed || passed === '0') throw new Error('no test was run');
    return `works: ${passed} tests`;
  },
};

/**
 * The tests are a package of the module that the engine is built from, with its versions.
 * @param {string} cache
 * @param {string} tests where the program comes
 * @param {import('../tool.d.ts').Context['run']} run
 */
async function build(cache, tests, run) {
  const source = path.join(cache, 'source');
  mkdirSync(source, { recursive: true });
  for (const name of ['go.mod', 'go.sum'])
    writeFileSync(path.join(source, name), readFileSync(path.join(ROOT, 'engines', 'kubernetes', name)));
  writeFileSync(
    path.join(source, 'main.go'),
    'package main\n\nimport _ "k8s.io/kubernetes/test/e2e"\n\nfunc main() {}\n',
  );
  const options = { cwd: source, env: process.env };
  await run('go', ['mod', 'edit', '-module=conformance'], options);
  await run('go', ['mod', 'tidy'], options);
  await run('go', ['test', '-c', '-o', tests, 'k8s.io/kubernetes/test/e2e'], options);
}
