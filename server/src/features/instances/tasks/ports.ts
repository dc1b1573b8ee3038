import { type TaskRun, type Wait, waitFor } from '../../../platform/tasks/handler.ts';
import type { NetworkProvider } from '../../networking/networks/index.ts';
import { desiredPort, type PortRow } from '../../networking/ports/index.ts';
import type { InstanceDeps } from '../access.ts';
import type { InstanceRow } from '../model.ts';

/** Ports of instances in regions where they are things of their own. Elsewhere they come and go with the instances. */

const networksOf = (
  { networksOf: of }: InstanceDeps,
  { region_id: regionId }: InstanceRow,
): NetworkProvider | undefined => {
  const networks = of(regionId);
  return networks?.look ? networks : undefined;
};

/** Makes ports be there before the instance needs them. */
export async function applyPorts(
  run: TaskRun,
  deps: InstanceDeps,
  row: InstanceRow,
  ports: readonly PortRow[],
): Promise<Wait | undefined> {
  const networks = networksOf(deps, row);
  for (const port of networks ? ports : []) {
    const waiting = waitFor((await networks?.apply(desiredPort(port), run.operation)) ?? { ready: true });
    if (waiting) return waiting;
  }
  return undefined;
}

/** Removes those of them that are not reserved, once the instance has them no longer. */
export async function removePorts(
  run: TaskRun,
  deps: InstanceDeps,
  row: InstanceRow,
  ports: readonly PortRow[],
): Promise<Wait | undefined> {
  const networks = networksOf(deps, row);
  for (const { id, reserved } of networks ? ports : []) {
    if (reserved) continue;
    const waiting = waitFor((await networks?.remove({ kind: 'port', id }, run.operation)) ?? { ready: true });
    if (waiting) return waiting;
  }
  return undefined;
}
