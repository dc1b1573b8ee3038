import type { SecurityGroupProvider } from '../../features/security-groups/port.ts';
import { type Operation, READY } from '../../kernel/operation.ts';
import { progressOf, type Range, type SimulationOptions } from './timing.ts';

/** Seconds at time scale 1. */
const CHANGE: Range = [1, 3];
const TIMED = /^(create|update|delete)_security_group/;

/** Simulated security groups: real timing, nothing is filtered. What undoes something costs no time. */
export function simulatedSecurityGroups(options: SimulationOptions): SecurityGroupProvider {
  const timed = async (_what: unknown, operation: Operation) =>
    TIMED.test(operation.type) ? progressOf(operation, CHANGE, options) : READY;
  return { applySecurityGroup: timed, removeSecurityGroup: timed };
}
