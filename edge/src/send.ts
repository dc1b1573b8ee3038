import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { refuse } from './origin.ts';
import { type ByteRange, isUnchanged, mayResume, parseRange, type Validators } from './ranges.ts';

/** A file as it is now. */
export interface Version extends Validators {
  readonly size: number;
  readonly headers: OutgoingHttpHeaders;
}

/** Answers with the head that conditions and ranges ask for.
 *  @returns the bytes that are to follow; undefined when the answer is over */
export function begin(
  { headers, size, ...validators }: Version,
  request: IncomingMessage,
  response: ServerResponse,
): ByteRange | undefined {
  if (isUnchanged(request.headers, validators)) {
    const { 'content-length': _, ...others } = headers;
    response.writeHead(304, others).end();
    return undefined;
  }
  const desired = mayResume(request.headers, validators)
    ? parseRange(request.headers.range, size)
    : undefined;
  if (desired === 'unsatisfiable') {
    refuse(response, 416, { 'content-range': `bytes */${size}` });
    return undefined;
  }
  response.writeHead(desired ? 206 : 200, desired ? partial(headers, desired, size) : headers);
  if (request.method === 'HEAD' || size === 0) {
    response.end();
    return undefined;
  }
  return desired ?? { start: 0, end: size - 1 };
}

/** Answers with a file that is in memory.
 *  @returns bytes of it that were sent */
export function sendWhole(
  version: Version,
  body: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): number {
  const part = begin(version, request, response);
  if (!part) return 0;
  const { start, end } = part;
  response.end(body.subarray(start, end + 1));
  return end - start + 1;
}

const partial = (headers: OutgoingHttpHeaders, { start, end }: ByteRange, size: number) => ({
  ...headers,
  'content-length': end - start + 1,
  'content-range': `bytes ${start}-${end}/${size}`,
});
