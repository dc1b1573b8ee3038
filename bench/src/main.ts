import { benchAttack } from './attack/index.ts';
import { benchCommand } from './command.ts';
import { benchEdge } from './edge.ts';
import { benchFeatures } from './features.ts';
import { benchKubernetes } from './kubernetes.ts';
import { benchLists } from './lists/index.ts';
import { benchBalancers } from './load-balancers.ts';
import { benchLossless } from './lossless.ts';
import { benchMap } from './map.ts';
import type { Figure } from './measure.ts';
import { benchPortal } from './portal.ts';
import { benchPostgresql } from './postgresql.ts';
import { benchReads } from './reads.ts';
import { benchStart } from './start.ts';
import { benchStorages } from './storages.ts';
import { benchTraffic } from './traffic.ts';
import { benchWrites } from './writes.ts';

/** Runs the benches that are named, or all, and prints a table. */
const BENCHES: Readonly<Record<string, () => Promise<Figure[]>>> = {
  start: benchStart,
  command: benchCommand,
  reads: benchReads,
  writes: benchWrites,
  features: benchFeatures,
  postgresql: benchPostgresql,
  storages: benchStorages,
  kubernetes: benchKubernetes,
  traffic: benchTraffic,
  lossless: benchLossless,
  balancers: benchBalancers,
  lists: benchLists,
  edge: benchEdge,
  portal: benchPortal,
  map: benchMap,
  attack: benchAttack,
};

if (process.argv.includes('--help')) {
  console.log(
    `npm run bench [-- NAME ...]: ${Object.keys(BENCHES).join(', ')}. Without a name, all of them.`,
  );
  process.exit(0);
}

// Options belong to the bench that reads them.
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const unknown = named.filter((name) => !(name in BENCHES));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}.`);
  process.exit(1);
}

const brokenPromises: string[] = [];
console.log('| what | measured | goal | command |\n|---|---|---|---|');
for (const [name, bench] of Object.entries(BENCHES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  for (const { what, value, goal, broken } of await bench()) {
    console.log(`| ${what} | ${value} | ${goal} | \`npm run bench -- ${name}\` |`);
    if (broken !== undefined) brokenPromises.push(broken);
  }
}
if (brokenPromises.length > 0) {
  console.error(`\nBROKEN PROMISES:\n${brokenPromises.map((each) => `- ${each}`).join('\n')}`);
  process.exitCode = 1;
}
