// @ts-check
import path from 'node:path';
import { installSystemPackages } from './apt.mjs';
import { programOf } from './programs.mjs';

/**
 * The engines of this machine, as the server sees them.
 * @param {string} root
 * @param {string} [dataDir]
 * @returns {Promise<import('../../server/src/engines/index.ts').Engines>}
 */
export async function openEngines(root, dataDir) {
  const { Engines, shelf } = await programOf(root, 'server', 'engines/index');
  return new Engines({ folders: [...(dataDir ? [path.resolve(dataDir, 'engines')] : []), shelf()] });
}

/** @param {readonly string[]} packages */
export function installForEngine(packages) {
  const why = 'an engine needs it';
  return installSystemPackages(
    packages.map((name) => ({ package: name, program: name, neededBy: ['start'], why })),
  );
}

/**
 * @param {string} root
 * @param {string[]} words
 * @param {string} dataDir
 * @param {string} [command] how it was called
 * @returns {Promise<number>} exit code
 */
export async function enginesCommand(root, words, dataDir, command = 'npm run engines') {
  const engines = await openEngines(root, dataDir);
  const [verb, ...names] = words;
  if (verb === undefined || (verb === 'list' && names.length === 0)) {
    await engines.look();
    for (const line of table(engines.list())) console.log(line);
    const { separationOfMachine } = await programOf(root, 'server', 'engines/index');
    console.log(`\n${separationOfMachine()}`);
    return 0;
  }
  if (verb !== 'install' || names.length === 0) {
    console.error(
      `To list engines: ${command}. To get some: ${command.replace(/^npm.*/, '$& --')} install NAME ...`,
    );
    return 1;
  }
  const { enginesOf } = await programOf(root, 'server', 'engines/index');
  for (const name of enginesOf(names)) {
    try {
      console.log(
        `${name}: ${await engines.install(name, (line) => console.log(`${name}: ${line}`), installForEngine)}`,
      );
    } catch (error) {
      console.error(`${name}: ${error instanceof Error ? error.message : error}`);
      return 1;
    }
  }
  return 0;
}

/** @param {readonly import('../../server/src/engines/index.ts').EngineState[]} states */
function table(states) {
  const rows = states.map(({ engine, state, program, says, fault }) => [
    engine.name,
    state,
    engine.version ?? '',
    engine.why,
    state === 'ready' ? `${program} (${says})` : (fault ?? ''),
  ]);
  const widths = [0, 1, 2, 3].map((i) => Math.max(...rows.map((row) => (row[i] ?? '').length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Engines that are not there by themselves, and how files of tests are named that need them. */
const NEEDED_BY_TESTS = [
  { name: 's3', files: /object-storage|storage-usage|test\/?$|integration|e2e/ },
  { name: 'pgbouncer', files: /pooler|pgbouncer|postgresql|test\/?$|integration|security/ },
];

/**
 * Gets the engines that tests need, unless they are there already: they are kept outside of the checkout. Tests whose
 * engine cannot be had are skipped, and say why.
 * @param {string} root
 * @param {string[]} tests paths and options of the test command
 */
export async function installTestEngines(root, tests) {
  const paths = tests.filter((word) => !word.startsWith('-'));
  const names = NEEDED_BY_TESTS.filter(
    ({ files }) => paths.length === 0 || paths.some((word) => files.test(word)),
  ).map(({ name }) => name);
  if (names.length === 0) return;
  const engines = await openEngines(root);
  await engines.look(names);
  for (const name of names) {
    if (engines.isReady(name)) continue;
    console.log(`\n== ${engines.state(name).engine.title} for tests ==`);
    try {
      await engines.install(name, (line) => console.log(line), installForEngine);
    } catch (error) {
      console.error(`It cannot be had: ${error instanceof Error ? error.message : error}`);
    }
  }
}
