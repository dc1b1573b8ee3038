import type { Socket } from 'node:dgram';

/** Sends a packet, and waits for its answer; closes the socket. @returns '' when none comes in time */
export function exchange(
  from: Socket,
  { host, port, text }: { readonly host: string; readonly port: number; readonly text: string },
  patienceMs: number,
): Promise<string> {
  return new Promise((resolve) => {
    const settle = (answer: string) => {
      clearTimeout(timer);
      from.close();
      resolve(answer);
    };
    const timer = setTimeout(() => settle(''), patienceMs);
    from.once('message', (answer) => settle(answer.toString()));
    from.once('error', () => settle(''));
    from.send(text, port, host);
  });
}
