import type { FastifyInstance } from 'fastify';
import { readJson } from './json.ts';

/** Bodies are JSON. An empty one counts as none, also with a JSON content type. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.+-]+\+)?json\b/,
    { parseAs: 'string' },
    (_request, text, done) => {
      try {
        done(null, readJson(String(text)));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}
