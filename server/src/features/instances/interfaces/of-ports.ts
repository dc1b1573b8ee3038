import type { PortsAsInterfaces } from '../../networking/ports/index.ts';
import { PlainInterface } from './schema.ts';
import { viewAsInterfaces } from './views.ts';

/** Ports as interfaces of instances, for older clients. */
export const portsAsInterfaces: PortsAsInterfaces = {
  schema: PlainInterface,
  async view(ctx, port) {
    const [view] = await viewAsInterfaces(ctx, [port]);
    if (!view) throw new Error(`port ${port.id} has no network`);
    return view;
  },
};
