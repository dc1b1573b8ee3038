import type { Feature } from '../../platform/feature.ts';
import { simulationExamples } from './examples.ts';
import { simulationRoutes } from './routes.ts';
import { SimulationService } from './service.ts';

export { CONDITION_KINDS, FAULT_KINDS, kindFault, NODE_KINDS } from './kinds.ts';
export { checkRule, FaultRule } from './rules.ts';
export { type FileFault, fileFaultsOf, keepFileFaults } from './store.ts';
export { simulatedStrikes } from './strikes.ts';

export function simulation(): Feature {
  return {
    name: 'simulation',
    examples: simulationExamples,
    routes: simulationRoutes(new SimulationService()),
  };
}
