import type { Config } from './config.ts';
import type { Clock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import type { ProviderFactory } from './region-providers.ts';

/** The providers that a region may name. */
export function providerFactories(
  _config: Config,
  _log: Logger,
  _clock: Clock,
): Readonly<Record<string, ProviderFactory>> {
  return {
    local: () => ({ capabilities: {} }),
    simulated: () => ({ capabilities: {} }),
  };
}
