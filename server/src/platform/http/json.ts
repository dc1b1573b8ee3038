import secureJson from 'secure-json-parse';
import { BadRequest, type Invalid } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import { JSON_BOUNDS } from './bounds.ts';

/** Reads JSON text of anybody. Its size is measured before it is parsed, so that neither the parser nor anything
 *  after it meets more than JSON_BOUNDS. Text that PostgreSQL cannot store (NUL, half a surrogate pair) is refused
 *  here, once for all fields.
 *  @returns undefined for no text
 *  @throws BadRequest for what is too much or no JSON, Invalid for text that cannot be stored */
export function readJson(text: string): unknown {
  measure(text);
  if (text.trim() === '') return undefined;
  const value = parse(text);
  if (SUSPICIOUS.test(text)) refuseUnstorable(value);
  return value;
}

const SUSPICIOUS = /\\u(0000|d[89a-f])|\0/i;

function parse(text: string): unknown {
  try {
    return secureJson.parse(text, undefined, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw new BadRequest(`The body is not valid JSON: ${(error as Error).message}`);
  }
}

const [QUOTE, COLON, COMMA, BACKSLASH] = [0x22, 0x3a, 0x2c, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Counts without parsing: each comma begins one value more, each bracket one that is open or closed.
 *  @throws BadRequest for more than JSON_BOUNDS allows */
export function measure(text: string): void {
  let depth = 0;
  let values = 1;
  let keyLength = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === QUOTE) {
      const end = endOfString(text, i + 1);
      keyLength = end - i - 1;
      i = end;
    } else if (char === COLON && keyLength > JSON_BOUNDS.nameLength) {
      throw new BadRequest(
        `The body has a field whose name is longer than ${JSON_BOUNDS.nameLength} characters`,
      );
    } else if (char === COMMA) {
      values += 1;
    } else if (char === OPEN_LIST || char === OPEN_MAP) {
      values += 1;
      depth += 1;
      if (depth > JSON_BOUNDS.depth) {
        throw new BadRequest(`The body is nested more than ${JSON_BOUNDS.depth} levels deep`);
      }
    } else if (char === CLOSE_LIST || char === CLOSE_MAP) {
      depth -= 1;
    }
  }
  if (values > JSON_BOUNDS.values) {
    throw new BadRequest(`The body has more than ${JSON_BOUNDS.values} values`);
  }
}

/** The index of the quote that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let i = text.indexOf('"', start); i !== -1; i = text.indexOf('"', i + 1)) {
    let slashes = 0;
    while (text.charCodeAt(i - 1 - slashes) === BACKSLASH && i - slashes > start) slashes += 1;
    if (slashes % 2 === 0) return i;
  }
  return text.length;
}

const UNSTORABLE = 'must not contain NUL or unpaired surrogate characters';

/** @throws Invalid naming the fields with text that cannot be stored */
export function refuseUnstorable(value: unknown, location: Invalid['location'] = 'body'): void {
  const faults = new Faults();
  const open: [path: string, value: unknown][] = [['', value]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, each] = next;
    if (typeof each === 'string' && !storable(each)) faults.add(path || location, UNSTORABLE);
    if (typeof each !== 'object' || each === null) continue;
    for (const [key, child] of Object.entries(each).reverse()) {
      const inner = path === '' ? key : `${path}.${key}`;
      if (!storable(key)) faults.add(inner, UNSTORABLE);
      open.push([inner, child]);
    }
  }
  faults.refuse(location);
}

const storable = (text: string) => !text.includes('\0') && text.isWellFormed();
