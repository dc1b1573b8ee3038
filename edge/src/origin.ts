import type { IncomingMessage, ServerResponse } from 'node:http';
import { CACHE_CONTROL } from './media-types.ts';

/** Where the files come from. */
export interface Origin {
  /** Answers a request whose token is valid.
   *  @param file path of the file in the origin, decoded
   *  @returns body bytes handed to the network, once the answer is over */
  serve(file: string, request: IncomingMessage, response: ServerResponse): Promise<number>;
  close(): void;
}

/** Texts of answers that are errors, by their status. */
export const REASONS: Readonly<Record<number, string>> = {
  400: 'This is not a request that can be understood.\n',
  403: 'This address is not signed for you. If it was made for one viewer, it works from the IP address in its client_ip alone. If that is 0.0.0.0, the viewer was not known: ask for it with client_ip=ADDRESS.\n',
  404: 'There is nothing here.\n',
  405: 'Only GET, HEAD and OPTIONS are allowed here.\n',
  410: 'This address has expired.\n',
  416: 'The file has no such range.\n',
  502: 'The origin cannot be reached.\n',
  504: 'The origin does not answer.\n',
};

/** Answers with an error. Nobody may keep it: a moment later the file, or the token, may be there. */
export function refuse(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): number {
  if (response.headersSent) {
    response.destroy();
    return 0;
  }
  const body = REASONS[status] ?? '';
  response
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': body.length,
      'cache-control': CACHE_CONTROL.error,
      ...headers,
    })
    .end(body);
  return 0;
}
