/** First and last byte, both included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** The part of a file that a Range header asks for (RFC 9110, section 14).
 *  @returns undefined for the whole file (no header, several ranges, or one that cannot be read);
 *  'unsatisfiable' for one that lies outside */
export function parseRange(
  header: string | undefined,
  size: number,
): ByteRange | 'unsatisfiable' | undefined {
  const parts = header === undefined ? null : /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header);
  if (!parts) return undefined;
  const [, first = '', last = ''] = parts;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

export interface Validators {
  readonly etag: string;
  /** Whole seconds since 1970. */
  readonly modified: number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Whether the client has this version already (If-None-Match goes before If-Modified-Since). */
export function isUnchanged(headers: Headers, { etag, modified }: Validators): boolean {
  const tags = headers['if-none-match'];
  if (typeof tags === 'string') {
    return tags
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
      .some((tag) => tag === '*' || tag === etag);
  }
  const since = headers['if-modified-since'];
  return typeof since === 'string' && Date.parse(since) >= modified * 1000;
}

/** Whether the version that a resumed download began with is still this one. */
export function mayResume(headers: Headers, { etag, modified }: Validators): boolean {
  const condition = headers['if-range'];
  if (typeof condition !== 'string') return true;
  return condition.startsWith('"') ? condition === etag : Date.parse(condition) === modified * 1000;
}
