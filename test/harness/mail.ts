import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly text: string;
}

export interface MailServer {
  readonly url: string;
  readonly received: readonly ReceivedMail[];
  /** From now on every mail is refused with this SMTP code; undefined: accepted. */
  refuse(code: number | undefined): void;
  close(): Promise<void>;
}

/** A real SMTP server that keeps what it receives.
 *  @param at the address to be reached at, @param port default: one that is free */
export async function startMailServer(at = '127.0.0.1', port = 0): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let refusal: number | undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (refusal !== undefined) {
          callback(Object.assign(new Error('not now'), { responseCode: refusal }));
          return;
        }
        received.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
        });
        callback();
      });
    },
  });
  // Tests kill senders in the middle of a mail.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, at, resolve));
  const { port: own } = server.server.address() as AddressInfo;
  return {
    url: `smtp://${at}:${own}`,
    received,
    refuse: (code) => {
      refusal = code;
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
