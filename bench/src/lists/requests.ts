import { isOrder, type List, type Parameter } from './document.ts';
import { type Sample, valuesOf } from './values.ts';

/** What each list is asked for: nothing, each filter and order alone, and pairs of them. */

/** One setting of one parameter. */
interface Setting {
  readonly name: string;
  readonly value: string;
  readonly order: boolean;
}

/** Of a filter with many values so many are tried. */
const VALUES_OF_A_FILTER = 6;

/** The queries of a list, without limit and offset; the first is empty.
 *  @throws when the bench does not know a value for a parameter of the document */
export function queriesOf(list: List, sample: Sample): readonly string[] {
  const settings = list.parameters.map((parameter) => settingsOf(list, parameter, sample));
  const alone = settings.flat().map((one) => [one]);
  return ['', ...[...alone, ...pairsOf(settings)].map(text)];
}

function settingsOf(list: List, parameter: Parameter, sample: Sample): Setting[] {
  const order = isOrder(parameter);
  const values = valuesOf(list, parameter, sample);
  return (order ? values : values.slice(0, VALUES_OF_A_FILTER)).map((value) => ({
    ...{ name: parameter.name, value, order },
  }));
}

/** Each filter with each other filter, and with each order, at its first value. */
function pairsOf(settings: readonly Setting[][]): Setting[][] {
  const pairs: Setting[][] = [];
  for (const [i, ones] of settings.entries()) {
    for (const others of settings.slice(i + 1)) {
      const [one, other] = [ones[0], others[0]];
      if (!one || !other || (one.order && other.order)) continue;
      if (one.order) pairs.push(...ones.map((each) => [each, other]));
      else if (other.order) pairs.push(...others.map((each) => [one, each]));
      else pairs.push([one, other]);
    }
  }
  return pairs;
}

const text = (settings: readonly Setting[]): string =>
  settings.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('&');
