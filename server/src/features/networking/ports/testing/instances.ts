import type { TestServer } from '../../../../../../test/harness/server.ts';
import { randomIds } from '../../../../kernel/ids.ts';
import { inRegion } from '../../../../platform/http/context.ts';
import { closePorts, type Device, type OpenedPorts, openPorts, type RequestedInterface } from '../index.ts';

const ids = randomIds();

export const anInstance = (): Device => ({ type: 'instance', id: ids.uuid() });

/** Opens ports in project 1 and region 2, as instances do. */
export function openFor(
  server: TestServer,
  device: Device,
  ...requested: readonly RequestedInterface[]
): Promise<OpenedPorts> {
  const scope = {
    ...inRegion({ id: 1, clientId: 1 }, { id: 2, name: 'Simulated', state: 'ACTIVE' }),
    ids,
    clock: server.clock,
  };
  const ports = requested.map((its, index) => ({
    interface: its,
    field: `interfaces.${index}`,
    interfaceName: `if-${index}`,
  }));
  return server.db.transaction((tx) => openPorts(tx, scope, device, ports));
}

export function close(server: TestServer, ...portIds: readonly string[]): Promise<number> {
  return server.db.transaction((tx) => closePorts(tx, portIds, server.clock.timestamp()));
}

export const addressesOf = (port: { readonly ip_assignments: readonly { readonly ip_address: string }[] }) =>
  port.ip_assignments.map(({ ip_address }) => ip_address);
