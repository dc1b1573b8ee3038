import { NAME_PATTERN } from '../../kernel/codecs.ts';

/** What patterns mean, for the message that a text does not match one. */
const rules = new Map<string, string>([
  [
    NAME_PATTERN,
    'must be 3 to 63 letters, digits, spaces, ".", "_" or "-", begin with a letter or digit, and end with one, "." or "_"',
  ],
]);

/** A pattern for a schema, with its rule in words: what follows the name of the field in an error. */
export function worded(pattern: string, rule: string): string {
  rules.set(pattern, rule);
  return pattern;
}

export function patternRule(pattern: string): string {
  return rules.get(pattern) ?? `must match the pattern ${pattern}`;
}
