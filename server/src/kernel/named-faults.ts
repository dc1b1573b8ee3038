/** What is said of a faulty request stays short, however much is wrong with it. */

/** Messages for each faulty field, by dotted path (`listeners.0.name`). */
export type InvalidFields = Readonly<Record<string, readonly string[]>>;

/** So many faults are named, the rest is counted. */
export const MAX_NAMED = 100;
/** Bytes of all names and messages as JSON; an answer may say each of them three times. */
const MAX_BYTES = 16_000;
const MAX_NAME = 200;
const MAX_MESSAGE = 1000;

export interface NamedFaults {
  readonly fields: InvalidFields;
  /** How many faults are not among them. */
  readonly left: number;
}

/** The first faults, as many as can be named; their names and messages are cut where they are too long. */
export function firstFaults(all: InvalidFields): NamedFaults {
  const fields: Record<string, string[]> = Object.create(null);
  let bytes = 0;
  let named = 0;
  let left = 0;
  for (const [field, messages] of Object.entries(all)) {
    for (const message of messages) {
      const full = named >= MAX_NAMED || bytes >= MAX_BYTES;
      if (full) {
        left += 1;
        continue;
      }
      const [name, text] = [cut(field, MAX_NAME), cut(message, MAX_MESSAGE)];
      bytes += Buffer.byteLength(JSON.stringify([name, text]));
      named += 1;
      fields[name] = [...(fields[name] ?? []), text];
    }
  }
  return { fields, left };
}

export function inWords(fields: InvalidFields, left: number): string {
  const named = Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join('; ')}`);
  return [...named, ...(left > 0 ? [moreFaults(left)] : [])].join('. ');
}

export const moreFaults = (left: number) =>
  `${left} more ${left === 1 ? 'fault is' : 'faults are'} not named`;

/** Text of at most so many characters, whole ones, with a sign where something was left out. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
