import type { OwnedDataPlane } from '../owned-region.ts';

/** A data plane on which nothing runs, but for what a test says. */
export function dataPlane(parts: Partial<OwnedDataPlane> = {}): OwnedDataPlane {
  const idle: OwnedDataPlane = {
    programsOf: () => [],
    fault: async () => null,
    isElsewhere: async () => undefined,
    takeOver: async () => {},
    kept: () => [],
    hasData: () => false,
    addresses: () => [],
    clear: async () => [],
    release: async () => {},
  };
  return Object.assign(idle, parts);
}
