import { startTestServer, type TestServer, type TestServerOptions } from './server.ts';

/** Servers whose region is another one than the usual. */

/** Runs real programs on this machine. */
const HERE = {
  id: 1,
  display_name: 'Here',
  slug: 'here',
  state: 'ACTIVE',
  provider: 'local',
  settings: {},
} as const;

/** With a local region, 1, and no other. */
export const startLocalServer = (options: TestServerOptions = {}): Promise<TestServer> =>
  startTestServer({ ...options, regions: [HERE] });

/** With a simulated region, 2, in which work fails.
 *  @param faults how often, from 0 to 1, by the kind of work */
export const startFaultyServer = (
  faults: Readonly<Record<string, number>>,
  options: TestServerOptions = {},
): Promise<TestServer> =>
  startTestServer({
    ...options,
    regions: [
      {
        id: 2,
        display_name: 'Faulty',
        slug: 'faulty',
        state: 'ACTIVE',
        provider: 'simulated',
        settings: { faults },
      },
    ],
  });
