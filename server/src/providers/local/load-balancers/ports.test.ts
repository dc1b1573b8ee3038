import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ListeningSocket } from '../addresses/sockets.ts';
import { waitUntilListening } from './ports.ts';

const socketAt = (port: number): ListeningSocket => ({ address: '127.0.0.9', port, inode: '0' });
const endpointAt = (port: number) => ({ address: '127.0.0.9', port, transport: 'tcp' as const });
const PORTS = Array.from({ length: 100 }, (_, index) => 1000 + index);

describe('waiting until ports accept connections', () => {
  it('reads the list of the system once a look, however many ports there are, and no other', async () => {
    const looks: ListeningSocket[][] = [[socketAt(1000)], PORTS.map(socketAt)];
    const read: string[] = [];
    await waitUntilListening(PORTS.map(endpointAt), (table) => {
      read.push(table);
      return looks.shift() ?? [];
    });
    expect(read).toEqual(['tcp', 'tcp']);
  });

  it('finds an address in whatever spelling it is given', async () => {
    const heard = { address: 'fd00::9', port: 80, inode: '0' };
    const given = { address: 'FD00:0:0::9', port: 80, transport: 'tcp' as const };
    await expect(waitUntilListening([given], () => [heard])).resolves.toBeUndefined();
  });

  it('connects where the system does not say who listens', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const connected = new Promise((resolve) => server.once('connection', resolve));
    await waitUntilListening([{ address: '127.0.0.1', port, transport: 'tcp' }], () => null);
    await connected;
    server.close();
  });
});
