// @ts-check
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../lib/root.mjs';
import { shellRoot, writeImage } from '../images.mjs';
import { kubernetesFault } from '../kubernetes.mjs';
import { once } from '../packages.mjs';

/** @typedef {import('../tool.d.ts').Context} Context */

const TESTS = 'k8s.io/kubernetes/test/e2e';
const AGNHOST = 'k8s.io/kubernetes/test/images/agnhost';

/** The groups of the makers' tests. Those of different groups do not meet, and run beside each other; probes wait for
 *  minutes. */
const PROBES = 'Probing container';
const GROUPS = [
  { name: 'api', focus: '\\[sig-(api-machinery|auth|architecture|instrumentation)\\]', skip: [] },
  { name: 'node', focus: '\\[sig-node\\]', skip: [PROBES] },
  { name: 'probes', focus: `\\[sig-node\\].*${PROBES}`, skip: [] },
  { name: 'storage', focus: '\\[sig-storage\\]', skip: [] },
  { name: 'network', focus: '\\[sig-network\\]', skip: [] },
  { name: 'apps', focus: '\\[sig-apps\\]', skip: [] },
];
/** Nodes of this kind refuse ports of hosts, with which a test evicts, and pods that are resized. */
const REFUSED = 'NodePort|HostPort|hostPort|evicted statefulset|InPlace';
/** Their images have programs that are not built here: an extension API, one that gains rights, a shell whose errors have
 *  other words. One comes from a registry. */
const IMAGES = 'Aggregator|AllowPrivilegeEscalation|write to root filesystem|pull policy of Always';
const SLOW = 'CronJob|500 podspec|chunking|\\[Slow\\]|\\[Serial\\]';
/** What the server of their image that speaks TLS shows. */
const CERTIFICATE = ['localhost.crt', 'localhost.key'];
const PATIENCE_MS = 60 * 60_000;

/** @type {import('../tool.d.ts').Tool} */
export const conformance = {
  name: 'conformance',
  version: '1.36.3',
  does: "a cluster of a local region: the makers' conformance tests, with images that are built here, but for what is slow, runs alone, or needs ports of hosts or other images",
  needs: ['go', 'dig', 'nc.openbsd'],
  async run(context) {
    const { cache, work, server } = context;
    const fault = await kubernetesFault();
    if (fault !== undefined) return `not run: ${fault}`;
    await once(cache, () => build(context));
    const tests = path.join(cache, 'e2e.test');
    await addImages(context, (await context.run(tests, ['-list-images'])).split('\n'));
    const kubeconfig = path.join(work, 'kubeconfig');
    writeFileSync(kubeconfig, await server.kubeconfig('conformance'), { mode: 0o600 });
    const groups = await Promise.all(GROUPS.map((group) => ranOf(context, tests, kubeconfig, group)));
    const ran = groups.flat().filter(({ State }) => State !== 'skipped');
    const failed = ran.filter(({ State }) => State !== 'passed');
    if (failed.length === 0) return `works: ${ran.length} tests`;
    const names = failed.map(({ LeafNodeText }) => LeafNodeText).join('; ');
    throw new Error(`${failed.length} of ${ran.length} tests: ${names}`);
  },
};

/**
 * The tests of a group that were run, or were left out.
 * @param {Context} context
 * @param {string} tests the program
 * @param {string} kubeconfig
 * @param {typeof GROUPS[number]} group
 * @returns {Promise<readonly { State: string, LeafNodeText: string }[]>}
 */
async function ranOf({ work, run }, tests, kubeconfig, { name, focus, skip }) {
  const report = path.join(work, `${name}.json`);
  const words = [
    `--kubeconfig=${kubeconfig}`,
    '--provider=skeleton',
    `--ginkgo.focus=${focus}.*\\[Conformance\\]`,
    `--ginkgo.skip=${[REFUSED, IMAGES, SLOW, ...skip].join('|')}`,
    `--ginkgo.json-report=${report}`,
    '--ginkgo.no-color',
  ];
  // It fails when a test does: which one, the report says.
  const fault = await run(tests, words, { patienceMs: PATIENCE_MS }).catch((error) => error);
  if (!existsSync(report)) throw fault;
  const suites = JSON.parse(readFileSync(report, 'utf8'));
  const specs = suites.flatMap((/** @type {any} */ { SpecReports }) => SpecReports);
  const ran = specs.filter((/** @type {any} */ { LeafNodeType }) => LeafNodeType === 'It');
  if (!ran.some((/** @type {any} */ { State }) => State === 'passed'))
    throw new Error(`no test of the group ${name} has passed: ${fault}`);
  return ran;
}

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
    busybox: { names: named(/^registry.*\/(busybox|glibc-dns-testing):/), roots: [shell], command: ['sh'] },
    nginx: { names: named(/^registry.*\/nginx:/), roots: [shell], command: ['/bin/sh', '-c', serve] },
    pause: { names: named(/\/pause:/), roots: [shell], command: ['/bin/busybox', 'sleep', '2147483647'] },
  };
  mkdirSync(server.images, { recursive: true });
  for (const [name, image] of Object.entries(images))
    await writeImage(path.join(server.images, `${name}.tar`), image, path.join(work, `${name}.parts`), run);
  rmSync(shell, { recursive: true });
}
