import type { Choices, Field, Option } from './field-input.tsx';

/** Fields of forms that have to be given. Those that may stay empty are written as they are. */

type More = Partial<Omit<Field, 'key' | 'label' | 'kind'>>;

const needed =
  (kind: Field['kind']) =>
  (key: string, label: string, more: More = {}): Field => ({ key, label, kind, required: true, ...more });

/** A line of text. */
export const textField = needed('text');

/** Several lines of text. */
export const areaField = needed('area');

/** A text that is not shown as it is typed. */
export const passwordField = needed('password');

/** A number. */
export const numberField = needed('number');

/** One of some that are known. */
export const optionField = (key: string, label: string, options: readonly Option[], more: More = {}): Field =>
  needed('choice')(key, label, { options, ...more });

/** One of those that the API has; it is the first until another is chosen. */
export const choiceField = (key: string, label: string, choices: Choices, more: More = {}): Field =>
  needed('choice')(key, label, { choices, first: true, ...more });
