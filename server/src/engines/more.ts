import { OWN_COMMANDS } from '../kernel/own-commands.ts';
import type { Engines } from './engines.ts';

/** What can be had beside what a start has got by itself, in one line; undefined: nothing. */
export function moreToHave(engines: Pick<Engines, 'list'>): string | undefined {
  const rest = engines.list().filter(({ engine, state }) => state === 'missing' && !engine.small);
  if (rest.length === 0) return undefined;
  const names = rest.map(({ engine }) => engine.name).join(' ');
  return `More can be had: ${OWN_COMMANDS.engines} install ${names} (${rest.map(({ engine }) => engine.why).join('; ')}).`;
}
