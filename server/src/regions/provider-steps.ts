import { messageOf } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { logOfRun } from '../platform/tasks/running.ts';
import { tracedCall } from '../platform/tracing/tracing.ts';
import { isPort, type ProviderFactory, type RegionProvider } from './region-providers.ts';

/** Providers that write each step into the log: those of tasks at `debug`, with the ids of task and request, all
 *  others at `trace`; and that make each step of a task a span of its trace. Who does neither has them as they were. */
export function withSteps(
  factories: Readonly<Record<string, ProviderFactory>>,
  log: Logger,
  isTraced = false,
): Readonly<Record<string, ProviderFactory>> {
  if (!log.isLevelEnabled('debug') && !isTraced) return factories;
  return Object.fromEntries(
    Object.entries(factories).map(([name, make]) => [
      name,
      (region) => logSteps(make(region), log.child({ regionId: region.id })),
    ]),
  );
}

export function logSteps(provider: RegionProvider, log: Logger): RegionProvider {
  const ports = new Map<string, object>();
  return new Proxy(provider, {
    get(target, name: string) {
      const value = Reflect.get(target, name, target);
      if (typeof value === 'function') return value.bind(target);
      if (!isPort(name) || typeof value !== 'object' || value === null) return value;
      const port = ports.get(name) ?? logCalls(value, name, log);
      ports.set(name, port);
      return port;
    },
  });
}

function logCalls<Port extends object>(port: Port, name: string, log: Logger): Port {
  const attributes = { 'virga.region_id': log.bindings().regionId };
  return new Proxy(port, {
    get(target, method: string) {
      const value = Reflect.get(target, method, target);
      if (typeof value !== 'function') return value;
      const step = `${name}.${method}`;
      return (...args: unknown[]) =>
        tracedCall(step, attributes, () => noted(step, log, () => value.apply(target, args)));
    },
  });
}

function noted(step: string, log: Logger, call: () => unknown): unknown {
  const since = performance.now();
  const note = (more: object) => {
    const said = { step, ms: Math.round((performance.now() - since) * 10) / 10, ...more };
    const run = logOfRun();
    if (run) run.debug({ ...log.bindings(), ...said }, `provider: ${step}`);
    else log.trace(said, `provider: ${step}`);
  };
  const result = call();
  if (!(result instanceof Promise)) return result;
  result.then(
    () => note({}),
    (error) => note({ failed: messageOf(error) }),
  );
  return result;
}
