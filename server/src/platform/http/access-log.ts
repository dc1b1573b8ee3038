import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../../kernel/log.ts';
import { clientAddress } from './proxies.ts';

/** What machines ask every few seconds; of interest only to who looks closely. */
export const PROBES = new Set(['/healthz', '/readyz', '/metrics']);

/** One line for each request: who asked for what, from where, what the answer was, and how long it took. Queries and
 *  bodies are left out: they may hold what is secret. */
export function logAccess(app: FastifyInstance, log: Logger): void {
  // Nothing in it is secret by its name. To look for such names would take longer than the rest of a quick request.
  const lines = log.child({}, { redact: [] });
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.url.split('?', 1)[0] ?? '';
    lines[PROBES.has(path) ? 'debug' : 'info'](
      {
        requestId: request.id,
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ip: clientAddress(request.ip, request.socket.remoteAddress),
        ...callerOf(request),
      },
      'request',
    );
    done();
  });
}

function callerOf({ caller }: FastifyRequest): object {
  if (!caller || (caller.tokenId === 0 && caller.userId === 0)) return {};
  const { clientId, userId, tokenId } = caller;
  return { client: clientId, user: userId, ...(tokenId === 0 ? {} : { tokenId }) };
}
