// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { currentInstance, isRunning } from '../../server/src/platform/database/embedded/instance.mjs';

/**
 * Asks the server of a data directory to end, and waits until it has.
 * @param {string} dataDir
 * @param {number} [patienceMs]
 * @returns {Promise<{ ok: boolean, line: string }>} one line for the person at the terminal
 */
export async function stopServer(dataDir, patienceMs = 60_000) {
  let instance;
  try {
    instance = currentInstance(dataDir);
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    return {
      ok: false,
      line: `The data directory ${dataDir} cannot be read (${code}): it belongs to another user.`,
    };
  }
  if (!instance) return { ok: true, line: `Virga is not running on ${dataDir}.` };
  const { pid } = instance;
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM') {
      return { ok: false, line: `Virga (pid ${pid}) belongs to another user: stop it as that user.` };
    }
  }
  const deadline = performance.now() + patienceMs;
  while (isRunning(instance)) {
    if (performance.now() > deadline) {
      return { ok: false, line: `Virga (pid ${pid}) still runs ${patienceMs / 1000} s after SIGTERM.` };
    }
    await delay(50);
  }
  return { ok: true, line: `Virga (pid ${pid}) has stopped.` };
}
