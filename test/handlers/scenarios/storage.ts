import type { Call, Preparation } from './scenario.ts';

/** What the scenarios of storages of both kinds share. */

export const waits = (call: Call): Call => ({ ...call, waits: true });

/** Makes the first storage; @returns its path */
export const storageMade =
  (storages: string, make: () => Call) =>
  async ({ finished, call }: Preparation): Promise<string> => {
    await finished(make());
    const { body } = await call({ method: 'GET', path: storages });
    return `${storages}/${body.results[0].id}`;
  };
