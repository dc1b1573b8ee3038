import type { FastifyInstance } from 'fastify';
import secureJson from 'secure-json-parse';
import { BadRequest, Invalid } from '../../kernel/errors.ts';

/** Bodies are JSON. An empty one counts as none, also with a JSON content type; text that PostgreSQL cannot
 *  store (NUL, half a surrogate pair) is refused here, once for all fields. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/([\w.+-]+\+)?json\b/,
    { parseAs: 'string' },
    (_request, text, done) => {
      try {
        done(null, parseBody(String(text)));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

const SUSPICIOUS = /\\u(0000|d[89a-f])|\0/i;

function parseBody(text: string): unknown {
  if (text.trim() === '') return undefined;
  const value = parse(text);
  if (SUSPICIOUS.test(text)) refuseUnstorable(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return secureJson.parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw new BadRequest(`The body is not valid JSON: ${(error as Error).message}`);
  }
}

/** @throws Invalid naming every field with text that cannot be stored */
export function refuseUnstorable(value: unknown, location: Invalid['location'] = 'body'): void {
  const faults: Record<string, string[]> = {};
  walk(value, [], (path) => {
    faults[path.join('.') || location] = ['must not contain NUL or unpaired surrogate characters'];
  });
  if (Object.keys(faults).length > 0) throw new Invalid(faults, location);
}

const storable = (text: string) => !text.includes('\0') && text.isWellFormed();

function walk(value: unknown, path: readonly string[], report: (path: readonly string[]) => void): void {
  if (typeof value === 'string') {
    if (!storable(value)) report(path);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, child] of Object.entries(value)) {
      if (!storable(key)) report(path);
      walk(child, [...path, key], report);
    }
  }
}
