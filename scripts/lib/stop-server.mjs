// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { currentInstances, isRunning } from '../../server/src/platform/database/embedded/instance.mjs';

/** @typedef {import('../../server/src/platform/database/embedded/instance.mjs').Instance} Instance */

/**
 * Asks the servers of a data directory to end (several may share one), and waits until they have.
 * @param {string} dataDir
 * @param {number} [patienceMs]
 * @returns {Promise<{ ok: boolean, line: string }>} what the person at the terminal should read
 */
export async function stopServer(dataDir, patienceMs = 120_000) {
  let instances;
  try {
    instances = currentInstances(dataDir);
  } catch (error) {
    const code = /** @type {NodeJS.ErrnoException} */ (error).code;
    return {
      ok: false,
      line: `The data directory ${dataDir} cannot be read (${code}): it belongs to another user.`,
    };
  }
  if (instances.length === 0) return { ok: true, line: `Virga is not running on ${dataDir}.` };
  const ends = await Promise.all(instances.map((instance) => stopOne(instance, patienceMs)));
  return { ok: ends.every(({ ok }) => ok), line: ends.map(({ line }) => line).join('\n') };
}

/**
 * @param {Instance} instance
 * @param {number} patienceMs
 * @returns {Promise<{ ok: boolean, line: string }>}
 */
async function stopOne(instance, patienceMs) {
  const { pid } = instance;
  try {
    // SIGTERM may leave the data planes to a server that comes after.
    process.kill(pid, 'SIGINT');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM') {
      return { ok: false, line: `Virga (pid ${pid}) belongs to another user: stop it as that user.` };
    }
  }
  const deadline = performance.now() + patienceMs;
  while (isRunning(instance)) {
    if (performance.now() > deadline) {
      return { ok: false, line: `Virga (pid ${pid}) still runs ${patienceMs / 1000} s after SIGINT.` };
    }
    await delay(50);
  }
  return { ok: true, line: `Virga (pid ${pid}) has stopped.` };
}
