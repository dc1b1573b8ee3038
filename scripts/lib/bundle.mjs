// @ts-check
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The program that the server starts for each SFTP storage. */
const SFTP_SERVER = 'providers/local/sftp-storage/serve';

/**
 * What a part is made of, where it is more than one program.
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const PROGRAMS = { server: [SFTP_SERVER, 'main'] };

/** @param {string} root */
export const bundleSftpServer = (root) => bundle(root, 'server', SFTP_SERVER);

/**
 * @param {string} root
 * @param {string} [name] of the program in `server/src`
 */
export const bundleServer = (root, name) => bundle(root, 'server', name);

/** @param {string} root */
export const bundleEdge = (root) => bundle(root, 'edge');

/** What makes another bundle of the same sources: the versions of the bundler, and how it is called. */
const BUNDLER = ['package-lock.json', 'tsconfig.json', 'scripts/lib/bundle.mjs'];

/**
 * Whether these programs are bundled, and nothing that they were made of has changed. Reading that takes a tenth of what
 * bundling takes.
 * @param {string} root
 * @param {readonly ('server' | 'edge')[]} parts
 */
export const areBundled = (root, parts) =>
  parts.every((part) =>
    (PROGRAMS[part] ?? ['main']).every(
      (name) => isBundled(root, outputOf(root, part, name)) && (name !== 'main' || hasLauncher(root, part)),
    ),
  );

/**
 * Bundles a program into one file, which starts much faster than its sources would; does nothing if that was done.
 * A checkout that cannot be written is fine as long as its bundle is up to date.
 * @param {string} root
 * @param {'server' | 'edge' | 'cli'} part
 * @param {string} [name] of the program in the part's `src`
 * @returns {Promise<string>} path of the bundle
 * @throws when the sources do not compile, or the bundle is old and cannot be replaced
 */
export async function bundle(root, part, name = 'main') {
  const output = outputOf(root, part, name);
  if (part === 'server' && name === 'main') replaceFile(launcherOf(root), launcher());
  if (isBundled(root, output)) return output;
  const { buildSync } = await import('esbuild');
  const result = buildSync({
    absWorkingDir: root,
    stdin: {
      contents: `import ${JSON.stringify(STACKS)}; export * from './${name}.ts';`,
      resolveDir: path.join(root, part, 'src'),
    },
    outfile: output,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: externalTo(root, part),
    // The command is one file, in which packages of the older form still ask for Node's modules.
    ...(part === 'cli' && { banner: { js: REQUIRE } }),
    // Node keeps the text for as long as the program runs: without comments and indents it is smaller.
    minifyWhitespace: true,
    // Node prints the line that an error comes from, when nobody catches it.
    lineLimit: 200,
    sourcemap: true,
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  for (const file of result.outputFiles) replaceFile(file.path, file.contents);
  const own = Object.keys(result.metafile.inputs).filter((file) => !/^<stdin>$|node_modules\//.test(file));
  noteSources(root, output, own);
  return output;
}

/** Comes first in each bundle: stacks of errors name lines of the sources. */
const STACKS = path.join(import.meta.dirname, 'stacks.mjs');

/** Packages of hundreds of small files, without state that others share: loaded one by one they are a fifth of a start. */
const BUNDLED = ['@sinclair/typebox', 'jose', 'kysely'];

/** @returns {readonly string[]} the packages that are part of the server's bundle */
export const bundledPackages = () => BUNDLED;

const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

/**
 * Packages that are loaded from where npm has put them. The command has all of its own in it.
 * @param {string} root
 * @param {string} part
 */
function externalTo(root, part) {
  // Only a clone builds, with its own modules; the driver comes with the server.
  if (part === 'cli') return ['esbuild', 'vite', 'pg'];
  const { dependencies = {} } = JSON.parse(readFileSync(path.join(root, part, 'package.json'), 'utf8'));
  const names = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name));
  return names.flatMap((name) => [name, `${name}/*`]);
}

/**
 * @param {string} root
 * @param {string} part
 * @param {string} name
 */
const outputOf = (root, part, name) =>
  path.join(root, part, 'dist', `${part === 'server' && name === 'main' ? 'program' : name}.js`);

/** @param {string} root */
const launcherOf = (root) => path.join(root, 'server', 'dist', 'main.js');

/** What production starts: it looks at Node's version before anything is loaded that an old Node does not know. */
const launcher = () =>
  Buffer.concat([
    readFileSync(path.join(import.meta.dirname, 'node-version.mjs')),
    Buffer.from("\nawait import('./program.js');\n"),
  ]);

/**
 * @param {string} root
 * @param {string} part
 */
const hasLauncher = (root, part) => part !== 'server' || read(launcherOf(root))?.equals(launcher()) === true;

/** @param {string} output */
const noteOf = (output) => `${output}.sources`;

/**
 * Writes down what a bundle was made of.
 * @param {string} root
 * @param {string} output
 * @param {readonly string[]} sources
 */
function noteSources(root, output, sources) {
  const digest = digestOf(root, output, sources);
  try {
    replaceFile(noteOf(output), Buffer.from([digest, ...sources].join('\n')));
  } catch (error) {
    // Without the note it is bundled again next time.
    const { code = '' } = /** @type {NodeJS.ErrnoException} */ (error);
    if (!['EROFS', 'EACCES', 'EPERM'].includes(code)) throw error;
  }
}

/**
 * @param {string} root
 * @param {string} output
 */
function isBundled(root, output) {
  const [digest, ...sources] = read(noteOf(output))?.toString().split('\n') ?? [];
  return digest !== undefined && digest === digestOf(root, output, sources);
}

/**
 * Of the bundle, of its sources and of what bundled them.
 * @param {string} root
 * @param {string} output
 * @param {readonly string[]} sources
 */
function digestOf(root, output, sources) {
  const hash = createHash('sha256');
  for (const file of [output, ...[...BUNDLER, ...sources].map((source) => path.join(root, source))]) {
    const content = read(file);
    hash.update(`${path.relative(root, file)}\0${content?.length ?? 'none'}\0`).update(content ?? '');
  }
  return hash.digest('hex');
}

/**
 * Swaps the file in one step, since another server may be starting from it.
 * @param {string} file
 * @param {Uint8Array} content
 */
function replaceFile(file, content) {
  if (read(file)?.equals(content)) return;
  const draft = `${file}.${process.pid}.draft`;
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(draft, content);
  renameSync(draft, file);
}

/**
 * @param {string} file
 * @returns {Buffer | undefined} undefined: it cannot be read
 */
function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
