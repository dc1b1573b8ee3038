// @ts-check
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../lib/root.mjs';
import { shellRoot, writeImage } from '../images.mjs';
import { kubernetesFault } from '../kubernetes.mjs';
import { once } from '../packages.mjs';

/** @typedef {import('../tool.d.ts').Context} Context */

const TESTS = 'k8s.io/kubernetes/test/e2e';
const AGNHOST = 'k8s.io/kubernetes/test/images/agnhost';

/** The groups of the makers' tests. Those of different groups do not meet, and run beside each other. */
const GROUPS = ['api-machinery|auth|architecture|instrumentation', 'node', 'storage', 'network|apps'];
/** Nodes of this kind refuse ports of hosts, and pods that are resized. */
const REFUSED = 'NodePort|HostPort|hostPort|InPlace';
/** Their images have programs that are not built here: an extension API, `dig`, another netcat, another shell. */
const IMAGES =
  'Aggregator|DNS|Services should (be able|have session)|AllowPrivilegeEscalation|various prefixes';
const SLOW = 'CronJob|500 podspec|chunking|\\[Slow\\]|\\[Serial\\]';
/** What the server of their image that speaks TLS shows. */
const CERTIFICATE = ['localhost.crt', 'localhost.key'];
const PATIENCE_MS = 60 * 60_000;

/** @type {import('../tool.d.ts').Tool} */
export const conformance = {
  name: 'conformance',
  version: '1.36.3',
  does: "a cluster of a local region: the makers' conformance tests, with images that are built here, but for what is slow, runs alone, or needs ports of hosts or other images",
  needs: ['go'],
  async run(context) {
    const { cache, work, run, server } = context;
    const fault = await kubernetesFault();
    if (fault !== undefined) return `not run: ${fault}`;
    await once(cache, () => build(context));
    const tests = path.join(cache, 'e2e.test');
    await addImages(context, (await run(tests, ['-list-images'])).split('\n'));
    const kubeconfig = path.join(work, 'kubeconfig');
    writeFileSync(kubeconfig, await server.kubeconfig('conformance'), { mode: 0o600 });
    const passed = await Promise.all(
      GROUPS.map(async (group) => {
        const words = [
          `--kubeconfig=${kubeconfig}`,
          '--provider=skeleton',
          `--ginkgo.focus=\\[sig-(${group})\\].*\\[Conformance\\]`,
          `--ginkgo.skip=${[REFUSED, IMAGES, SLOW].join('|')}`,
          '--ginkgo.no-color',
        ];
        const said = await run(tests, words, { patienceMs: PATIENCE_MS });
        return Number(/ (\d+) Passed/.exec(said)?.[1] ?? 0);
      }),
    );
    if (passed.includes(0)) throw new Error('a group has run no test');
    return `works: ${passed.reduce((sum, each) => sum + each)} tests`;
  },
};

/**
 * The tests, and the program of most of their images, are packages of the module that the engine is built from.
 * @param {Context} context
 */
async function build({ cache, run }) {
  const source = path.join(cache, 'source');
  mkdirSync(source, { recursive: true });
  for (const name of ['go.mod', 'go.sum'])
    writeFileSync(path.join(source, name), readFileSync(path.join(ROOT, 'engines', 'kubernetes', name)));
  writeFileSync(path.join(source, 'main.go'), `package main\n\nimport _ "${TESTS}"\n\nfunc main() {}\n`);
  const options = { cwd: source, env: { ...process.env, CGO_ENABLED: '0' }, patienceMs: PATIENCE_MS };
  await run('go', ['mod', 'edit', '-module=conformance', `-tool=${AGNHOST}`], options);
  await run('go', ['mod', 'tidy'], options);
  await run('go', ['test', '-c', '-o', path.join(cache, 'e2e.test'), TESTS], options);
  await run('go', ['build', '-trimpath', '-o', path.join(cache, 'agnhost'), AGNHOST], options);
  const sources = (await run('go', ['list', '-f', '{{.Dir}}', AGNHOST], options)).trim();
  for (const name of CERTIFICATE) cpSync(path.join(sources, 'porter', name), path.join(cache, name));
}

/**
 * Puts the images that tests start where nodes find them.
 * @param {Context} context
 * @param {readonly string[]} names all that the tests know
 */
async function addImages({ cache, work, run, server }, names) {
  const named = (/** @type {RegExp} */ pattern) => names.filter((name) => pattern.test(name));
  const shell = path.join(work, 'shell');
  await shellRoot(shell, run);
  const agnhost = path.join(work, 'agnhost');
  mkdirSync(agnhost);
  symlinkSync('agnhost', path.join(agnhost, 'agnhost-2'));
  for (const name of ['agnhost', ...CERTIFICATE]) cpSync(path.join(cache, name), path.join(agnhost, name));
  const serve = 'mkdir -p /www && hostname > /www/index.html && exec /bin/busybox httpd -f -p 80 -h /www';
  /** @type {Readonly<Record<string, import('../images.mjs').Image>>} */
  const images = {
    agnhost: {
      names: named(/^registry.*\/agnhost:/),
      roots: [shell, agnhost],
      entrypoint: ['/agnhost'],
      command: ['pause'],
    },
    busybox: { names: named(/^registry.*\/busybox:/), roots: [shell], command: ['sh'] },
    nginx: { names: named(/^registry.*\/nginx:/), roots: [shell], command: ['/bin/sh', '-c', serve] },
    pause: { names: named(/\/pause:/), roots: [shell], command: ['/bin/busybox', 'sleep', '2147483647'] },
  };
  mkdirSync(server.images, { recursive: true });
  for (const [name, image] of Object.entries(images))
    await writeImage(path.join(server.images, `${name}.tar`), image, path.join(work, `${name}.parts`), run);
  rmSync(shell, { recursive: true });
}
