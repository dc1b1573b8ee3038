import { once } from 'node:events';
import { connect } from 'node:tls';

/** The serial number of the certificate that a server shows. */
export async function servedSerial(host: string, port: number): Promise<string> {
  const socket = connect({ host, port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
