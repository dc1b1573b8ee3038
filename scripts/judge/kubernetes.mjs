// @ts-check
import { openEngines } from '../lib/engines.mjs';
import { programOf } from '../lib/programs.mjs';
import { ROOT } from '../lib/root.mjs';

/** @returns {Promise<string | undefined>} why there are no clusters whose pods run on this machine */
export async function kubernetesFault() {
  const engines = await openEngines(ROOT);
  const { enginesOf } = await programOf(ROOT, 'server', 'engines/index');
  const needed = enginesOf(['kubernetes']);
  await engines.look(needed);
  return needed
    .map((/** @type {string} */ name) => engines.faultOf(name))
    .find((/** @type {string | undefined} */ text) => text !== undefined);
}
