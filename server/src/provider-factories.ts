import type { ProviderFactory } from './region-providers.ts';

export interface ProviderOptions {
  /** Simulated durations are multiplied by this. */
  readonly timeScale: number;
  readonly seed: string;
}

/** The providers that a region may name. */
export function providerFactories(_options: ProviderOptions): Readonly<Record<string, ProviderFactory>> {
  return {
    local: () => ({ capabilities: {} }),
    simulated: () => ({ capabilities: {} }),
  };
}
