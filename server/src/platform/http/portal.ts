import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Ids } from '../../kernel/ids.ts';

/** The addresses that the portal's own pages have. Everything else that is unknown is an error of the API. */
const PAGES = [
  '/',
  '/sign-in',
  '/second-factor',
  '/projects/*',
  '/account',
  '/account/*',
  '/operator',
  '/operator/*',
  '/password/*',
  '/invitation/*',
];
const NONCE = '__NONCE__';
/** A year, in seconds: names of assets carry a hash of their content. */
const FOR_EVER = 31_536_000;

/** What a page of the portal may do: its own scripts and styles, calls to this server and to the edge that delivers
 *  video, and nothing from elsewhere. */
const policy = (nonce: string, media: readonly string[]) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    ['connect-src', "'self'", ...media].join(' '),
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export interface PortalOptions {
  /** Where the built pages are; without them a browser that comes to `/` is led to the reference. */
  readonly folder: string | undefined;
  readonly ids: Ids;
  /** Where video is delivered from, which its player asks. */
  readonly media: readonly string[];
}

/** Serves the portal. */
export async function servePortal(
  app: FastifyInstance,
  { folder, ids, media }: PortalOptions,
): Promise<void> {
  const index = folder && path.join(folder, 'index.html');
  if (!folder || !index || !existsSync(index)) {
    app.get('/', async (_request, reply) => reply.redirect('/docs'));
    return;
  }
  // Read anew each time: a new build has other names, and a server may outlive several.
  const page = async (_request: unknown, reply: FastifyReply) =>
    sendPage(reply, await readFile(index, 'utf8'), ids.secret(), media);
  for (const url of PAGES) app.get(url, page);
  await app.register(fastifyStatic, {
    root: path.join(folder, 'assets'),
    prefix: '/assets/',
    preCompressed: true,
    immutable: true,
    maxAge: FOR_EVER * 1000,
    // Nobody asks whether one has changed, nor for a part of it.
    etag: false,
    lastModified: false,
    acceptRanges: false,
    index: false,
    decorateReply: false,
  });
  const icon = readFileSync(path.join(folder, 'icon.svg'));
  app.get('/icon.svg', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=86400').type('image/svg+xml').send(icon),
  );
}

function sendPage(reply: FastifyReply, html: string, nonce: string, media: readonly string[]): FastifyReply {
  return reply
    .headers({
      'cache-control': 'no-store',
      'content-security-policy': policy(nonce, media),
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(html.replace(NONCE, nonce));
}
