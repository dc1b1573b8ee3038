import path from 'node:path';
import { expect, test } from 'vitest';
import { CONDITION_KINDS, NODE_KINDS } from '../../server/src/features/simulation/kinds.ts';
import { startTestServer } from '../harness/server.ts';
import { shared } from '../harness/shared.ts';
import { expectGolden } from './golden.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

const server = shared(() => startTestServer({ worker: false }));

/** What faults may strike, by feature. */
const kinds = () =>
  server.app.features.flatMap(({ name, tasks = [] }) => {
    const struck = tasks.filter(({ withoutFaults }) => !withoutFaults).map(({ type }) => type);
    return struck.length > 0 ? [{ name, struck }] : [];
  });

test('the kinds of faults are the types of tasks that work in a region', () => {
  const lines = kinds().flatMap(({ struck }) => struck.map((kind) => `  '${kind}',`));
  expect(lines.length).toBeGreaterThan(50);
  expectGolden(
    path.join(ROOT, 'server/src/features/simulation/kinds.gen.ts'),
    `/** Types of tasks that work on a resource in a region; \`npm run generate\` finds them. */
export const FAULT_KINDS: readonly string[] = [
${lines.join('\n')}
];
`,
  );
});

test('docs/fault-kinds.md names them all', () => {
  const listed = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' ');
  const rows = kinds().map(({ name, struck }) => `| ${name} | ${listed(struck)} |`);
  expectGolden(
    path.join(ROOT, 'docs/fault-kinds.md'),
    `# Kinds of faults

What [faults of simulated regions](operations.md#faults) can affect: the types of tasks that work on a resource in a region. \`npm run generate\` writes this page. Other tasks do no work in a region, and faults do not affect them.

| feature | kinds |
|---|---|
${rows.join('\n')}

${listed(NODE_KINDS)} affect single nodes of clusters. ${listed(CONDITION_KINDS)} can only be rates: that share of the ready nodes fails some time later.
`,
  );
});
