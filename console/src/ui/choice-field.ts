import type { Field } from './field-input.tsx';

/** A field for one of those that the API has; it has to be one, and is the first until another is chosen. */
export const choiceField = (
  key: string,
  label: string,
  choices: NonNullable<Field['choices']>,
  more: Partial<Field> = {},
): Field => ({ key, label, kind: 'choice', required: true, choices, first: true, ...more });
