import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { openApi30 } from './edition-3-0.ts';

/** Its own files and this API, and no page of anybody else around it. The reference sets styles on elements, and has
 *  pictures in its style sheet. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the document at /openapi.json, its edition for older readers at /openapi-3.0.json, and a readable reference at /docs, without anything from elsewhere.
 *  @param read makes it, or knows it: no start waits for what few ask for */
export async function serveReference(app: FastifyInstance, read: () => object): Promise<void> {
  const serve = (url: string, make: () => object) => {
    let text: string | undefined;
    app.get(url, async (_request, reply) => {
      text ??= JSON.stringify(make());
      return reply.type('application/json; charset=utf-8').send(text);
    });
  };
  serve('/openapi.json', read);
  serve('/openapi-3.0.json', () => openApi30({ ...read() }));
  await app.register((docs) => serveDocs(docs, read));
}

async function serveDocs(app: FastifyInstance, read: () => object): Promise<void> {
  const document = {};
  app.addHook('onRequest', async () => {
    if (Object.keys(document).length === 0) Object.assign(document, read());
  });
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: POLICY,
    // The bar offers to read other documents, which nobody wants here.
    theme: {
      title: 'Virga API',
      css: [{ filename: 'virga.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiConfig: { docExpansion: 'none', deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  });
}
