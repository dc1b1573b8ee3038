/** From which state to which, and by what. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly by?: string;
}

/** A resource's states, as a page of documentation shows them. */
export interface States {
  readonly title: string;
  /** The file that has them, as a path of the repository. */
  readonly file: string;
  /** What a new one is, and what is gone. */
  readonly first: string;
  readonly last: readonly string[];
  readonly steps: readonly Step[];
}

export const ofTable = (table: Readonly<Record<string, readonly string[]>>): Step[] =>
  Object.entries(table).flatMap(([from, all]) => all.map((to) => ({ from, to })));

const nameOf = (state: string) => state.replaceAll(/\W/g, '_');

/** A section with a diagram that renders where the repository is read. */
export function diagramOf({ title, file, first, last, steps }: States): string {
  const states = [...new Set([first, ...steps.flatMap(({ from, to }) => [from, to])])];
  const together = new Map<string, string[]>();
  for (const { from, to, by } of steps) {
    const arrow = `${nameOf(from)} --> ${nameOf(to)}`;
    together.set(arrow, [...(together.get(arrow) ?? []), ...(by === undefined ? [] : [by])]);
  }
  return [
    `## ${title}`,
    '',
    `From [${file}](../${file}).`,
    '',
    '```mermaid',
    'stateDiagram-v2',
    ...states
      .filter((state) => nameOf(state) !== state)
      .map((state) => `  state "${state}" as ${nameOf(state)}`),
    `  [*] --> ${nameOf(first)}`,
    ...[...together].map(([arrow, by]) => `  ${arrow}${by.length > 0 ? `: ${by.join(', ')}` : ''}`),
    ...last.map((state) => `  ${nameOf(state)} --> [*]`),
    '```',
    '',
  ].join('\n');
}
