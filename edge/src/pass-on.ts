import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';

/** Sends a viewer what an origin answers. A viewer who leaves, or an origin that breaks off, ends this answer and
 *  nothing else.
 *  @returns how many bytes there were */
export async function passOn(answer: IncomingMessage, response: ServerResponse): Promise<number> {
  let sent = 0;
  answer.on('data', (chunk: Buffer) => {
    sent += chunk.length;
  });
  await pipeline(answer, response).catch(() => response.destroy());
  return sent;
}
