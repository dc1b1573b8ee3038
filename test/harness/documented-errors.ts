import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { FastifyInstance } from 'fastify';

/** Checks every refusal against the OpenAPI document, as the server itself checks what succeeds. */

const faults = new Set<string>();

/** Test files share a process, and each answers for its own. */
export const forgetUndocumented = (): void => faults.clear();

/** Refusals of this test file that are not as the document says. */
export const undocumented = (): readonly string[] => [...faults];

// biome-ignore lint/suspicious/noExplicitAny: a document is looked into where it is known to have something
type Document = any;

export function checkErrors(api: FastifyInstance, read: () => Document): void {
  const compiled = new Map<string, ValidateFunction>();
  // Most files see few refusals, and reading the whole document costs as much as a small test.
  let ajv: Ajv2020 | undefined;
  const validatorOf = (pointer: string) => {
    ajv ??= new Ajv2020({ strict: false, validateFormats: false, validateSchema: false }).addSchema(
      { components: read().components },
      'document',
    );
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
    compiled.set(pointer, known);
    return known;
  };
  api.addHook('onSend', async ({ method, routeOptions }, reply, payload) => {
    if (reply.statusCode < 400) return payload;
    const document = read();
    const path = String(routeOptions.url).replace(/:(\w+)/g, '{$1}');
    const operation = document.paths[path]?.[method.toLowerCase()];
    if (!operation) return payload;
    const { $ref } = operation.responses[reply.statusCode] ?? operation.responses.default;
    const name = String($ref).split('/').at(-1) ?? '';
    const type = String(reply.getHeader('content-type')).split(';')[0] ?? '';
    const where = `${method} ${path} ${reply.statusCode} ${type}`;
    const content = document.components.responses[name]?.content;
    if (!content?.[type]) {
      faults.add(`${where}: the document has no such content type`);
      return payload;
    }
    const validate = validatorOf(
      `/components/responses/${name}/content/${type.replaceAll('/', '~1')}/schema`,
    );
    if (!validate(JSON.parse(String(payload)))) faults.add(`${where}: ${ajv?.errorsText(validate.errors)}`);
    return payload;
  });
}
