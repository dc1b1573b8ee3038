export interface Option {
  readonly value: string;
  readonly label: string;
}

/** Options by their value. */
export const optionsOf = (labels: Readonly<Record<string, string>>): Option[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** Options as fields can show them: each value once, and what has the same name distinguished by its id. */
export function withDistinctLabels(options: readonly Option[]): Option[] {
  const once = [...new Map(options.map((option) => [option.value, option])).values()];
  const seen = new Map<string, number>();
  for (const { label } of once) seen.set(label, (seen.get(label) ?? 0) + 1);
  return once.map(({ value, label }) => ({
    value,
    label: (seen.get(label) ?? 0) > 1 ? `${label} · ${value.slice(0, 8)}` : label,
  }));
}
