import { existsSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** What a page of the guide may do: its own scripts and styles, and nothing from elsewhere. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
/** Names of assets carry a hash of their content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Serves the guide.
 *  @param folder of the built pages; where there are none, a browser is led to the reference of the API */
export async function serveGuide(app: FastifyInstance, folder: string | undefined): Promise<void> {
  if (!folder || !existsSync(path.join(folder, 'index.html'))) {
    app.get('/guide', async (_request, reply) => reply.redirect('/docs'));
    return;
  }
  app.get('/guide', async (_request, reply) => reply.redirect('/guide/'));
  const assets = path.join(folder, 'assets');
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/guide/',
    // A page is found by its name alone.
    extensions: ['html'],
    preCompressed: true,
    cacheControl: false,
    decorateReply: false,
    setHeaders: (reply, file) => {
      reply.headers({
        'cache-control': file.startsWith(assets + path.sep) ? FOR_EVER : 'no-cache',
        'content-security-policy': POLICY,
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
    },
  });
}
