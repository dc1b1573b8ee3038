import type { Feature } from '../../../platform/feature.ts';
import { conversionExamples } from './examples.ts';
import { conversionRoutes } from './routes.ts';
import { type ConversionDeps, ConversionService } from './service.ts';
import { convertFloatingIpTask, convertReservedIpTask } from './tasks.ts';

export type { ConversionDeps } from './service.ts';

/** Floating IPs become reserved fixed IPs, and the other way round. */
export function addressConversions(deps: ConversionDeps): Feature {
  return {
    name: 'address-conversions',
    examples: conversionExamples,
    needs: 'addresses',
    routes: conversionRoutes(new ConversionService(deps)),
    tasks: [convertFloatingIpTask(deps), convertReservedIpTask(deps)],
  };
}
