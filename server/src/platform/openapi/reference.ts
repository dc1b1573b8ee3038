import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Its own files and this API, and no page of anybody else around it. The reference sets styles on elements, and has
 *  pictures in its style sheet. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the document at /openapi.json and a readable reference at /docs, without anything from elsewhere. */
export async function serveReference(app: FastifyInstance, document: Record<string, unknown>): Promise<void> {
  const text = JSON.stringify(document);
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  );
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
