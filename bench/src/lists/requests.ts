import { isCommon } from './common.ts';
import { isOrder, type List, type Parameter } from './document.ts';
import { type Sample, valuesOf } from './values.ts';

/** What each list is asked for: nothing, each filter and order alone, and pairs of them. */

/** One setting of one parameter. */
interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Without limit and offset; the first that matters is empty. */
export interface Queries {
  /** Each filter and order alone, and common pairs of them. */
  readonly promised: readonly string[];
  readonly otherPairs: readonly string[];
}

/** Of a filter with many values so many are tried. */
const VALUES_OF_A_FILTER = 6;
/** In a common pair: a frequent one and a rare one. */
const VALUES_IN_A_PAIR = 2;

/** @throws when the bench does not know a value for a parameter of the document */
export function queriesOf(list: List, sample: Sample): Queries {
  const settings = list.parameters.map((parameter) => settingsOf(list, parameter, sample));
  const { common, others } = pairsOf(list, settings);
  const alone = settings.flat().map((one) => [one]);
  return { promised: ['', ...[...alone, ...common].map(text)], otherPairs: others.map(text) };
}

function settingsOf(list: List, parameter: Parameter, sample: Sample): Setting[] {
  const values = valuesOf(list, parameter, sample);
  const some = isOrder(parameter) ? values : values.slice(0, VALUES_OF_A_FILTER);
  return some.map((value) => ({ name: parameter.name, value }));
}

/** Each filter with each other filter, and with each order. Those that are not common have the first values. */
function pairsOf(list: List, settings: readonly Setting[][]) {
  const common: Setting[][] = [];
  const others: Setting[][] = [];
  const { parameters } = list;
  for (const [i, one] of parameters.entries()) {
    for (const [j, other] of parameters.entries()) {
      if (j <= i || (isOrder(one) && isOrder(other))) continue;
      const both = isCommon(list, one, other);
      const some = (parameter: Parameter, all: readonly Setting[] = []) =>
        isOrder(parameter) ? all : all.slice(0, both ? VALUES_IN_A_PAIR : 1);
      const pairs = some(one, settings[i]).flatMap((a) => some(other, settings[j]).map((b) => [a, b]));
      (both ? common : others).push(...pairs);
    }
  }
  return { common, others };
}

const text = (settings: readonly Setting[]): string =>
  settings.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('&');
