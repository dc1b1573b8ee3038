import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

/** The runbook has an entry for each alert, and its commands are those that there are. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const runbook = read('docs/runbook.md');
const headings = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);

interface Rule {
  readonly alert: string;
  readonly annotations: { readonly runbook_url?: string };
}
const rules: readonly Rule[] = parse(read('docs/monitoring/prometheus-rules.yml')).groups.flatMap(
  ({ rules: all }: { rules: Rule[] }) => all,
);

interface Command {
  readonly noun: string;
  readonly verb: string;
  readonly flags: readonly { readonly name: string }[];
}
const commands: readonly Command[] = JSON.parse(read('cli/src/table/table.gen.json')).operations;
/** Written by hand, beside those of the table. */
const OTHERS = ['login', 'lb watch'];
const EVERYWHERE = ['project', 'region', 'yes'];

test('each alert has an entry, and names it', () => {
  const alerts = rules.map(({ alert }) => alert);
  expect(headings.filter((heading) => heading.startsWith('Virga')).sort()).toEqual([...alerts].sort());
  for (const { alert, annotations } of rules)
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
});

test('each command is one that there is, with flags that it has', () => {
  const written = [...runbook.matchAll(/(?:^|`)virga ([a-z-]+(?: [a-z-]+)?)([^`\n]*)/gm)];
  expect(written.length).toBeGreaterThan(15);
  for (const [whole, name = '', rest = ''] of written) {
    if (OTHERS.some((other) => name.startsWith(other))) continue;
    const command = commands.find(({ noun, verb }) => `${noun} ${verb}` === name);
    expect(command, whole).toBeDefined();
    const flags = [...rest.matchAll(/--([a-z-]+)/g)].map(([, flag = '']) => flag);
    const known = [...(command?.flags ?? []).map((flag) => flag.name.replaceAll('_', '-')), ...EVERYWHERE];
    expect(
      flags.filter((flag) => !known.includes(flag)),
      whole,
    ).toEqual([]);
  }
});
