import { isCommon } from './common.ts';
import { isOrder, type List, type Parameter } from './document.ts';
import { type Sample, valuesOf } from './values.ts';

/** What each list is asked for: nothing, each filter and order alone, and pairs of them. */

/** One setting of one parameter. */
interface Setting {
  readonly name: string;
  readonly value: string;
}

/** Of a filter with many values so many are tried. */
const VALUES_OF_A_FILTER = 6;
/** In a common pair: a frequent one and a rare one. */
const VALUES_IN_A_PAIR = 2;

/** Without limit and offset: nothing, then each filter and order alone, and common pairs of them.
 *  @throws when the bench does not know a value for a parameter of the document */
export function queriesOf(list: List, sample: Sample): readonly string[] {
  const settings = list.parameters.map((parameter) => settingsOf(list, parameter, sample));
  const alone = settings.flat().map((one) => [one]);
  return ['', ...[...alone, ...pairsOf(list, settings)].map(text)];
}

function settingsOf(list: List, parameter: Parameter, sample: Sample): Setting[] {
  const values = valuesOf(list, parameter, sample);
  const some = isOrder(parameter) ? values : values.slice(0, VALUES_OF_A_FILTER);
  return some.map((value) => ({ name: parameter.name, value }));
}

/** Common pairs of a filter with another one or an order. */
function pairsOf({ parameters, ...list }: List, settings: readonly Setting[][]): Setting[][] {
  const some = (parameter: Parameter, all: readonly Setting[] = []) =>
    isOrder(parameter) ? all : all.slice(0, VALUES_IN_A_PAIR);
  return parameters.flatMap((one, i) =>
    parameters.flatMap((other, j) =>
      j <= i || (isOrder(one) && isOrder(other)) || !isCommon({ parameters, ...list }, one, other)
        ? []
        : some(one, settings[i]).flatMap((a) => some(other, settings[j]).map((b) => [a, b])),
    ),
  );
}

const text = (settings: readonly Setting[]): string =>
  settings.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('&');
