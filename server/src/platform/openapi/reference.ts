import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';

/** Serves the document at /openapi.json and a readable reference at /docs, without anything from elsewhere. */
export async function serveReference(app: FastifyInstance, document: Record<string, unknown>): Promise<void> {
  const text = JSON.stringify(document);
  app.get('/openapi.json', async (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(text),
  );
  await app.register(swagger, { mode: 'static', specification: { document: document as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The bar offers to read other documents, which nobody wants here.
    theme: {
      title: 'Virga API',
      css: [{ filename: 'virga.css', content: '.swagger-ui .topbar { display: none }' }],
    },
    uiConfig: { docExpansion: 'none', deepLinking: true, persistAuthorization: false, tryItOutEnabled: true },
  });
}
