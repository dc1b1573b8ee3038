import type ts from 'typescript';

/** A value that only a running server knows. */
export class Unknown {
  readonly type: ts.Type | undefined;
  /** The parameter that it comes from, whose callers may know it. */
  readonly from: ts.ParameterDeclaration | undefined;
  /** The same for the same value. */
  readonly origin: string | undefined;

  constructor(type: ts.Type | undefined, from: ts.ParameterDeclaration | undefined, origin?: string) {
    this.type = type;
    this.from = from;
    this.origin = origin;
  }
}

export const isUnknown = (value: unknown): value is Unknown => value instanceof Unknown;

/** Through which parameter what is not known here has come. */
export function lost(...values: readonly unknown[]): ts.ParameterDeclaration | undefined {
  for (const value of values) {
    if (isUnknown(value) && value.from) return value.from;
    if (value instanceof Fragment && value.missing?.from) return value.missing.from;
  }
  return undefined;
}

/** A part of a statement: text, and the types of its parameters. */
export class Fragment {
  readonly strings: readonly string[];
  readonly params: readonly ts.Type[];
  /** Set where some of its text is not known. */
  readonly missing: Unknown | undefined;

  constructor(strings: readonly string[], params: readonly ts.Type[], missing?: Unknown) {
    this.strings = strings;
    this.params = params;
    this.missing = missing;
  }

  static lost(from: ts.ParameterDeclaration | undefined): Fragment {
    return new Fragment([''], [], new Unknown(undefined, from));
  }

  static of(strings: readonly string[], parts: readonly Fragment[]): Fragment {
    const texts = [strings[0] ?? ''];
    const params: ts.Type[] = [];
    parts.forEach((part, index) => {
      texts[texts.length - 1] += part.strings[0] ?? '';
      part.params.forEach((type, at) => {
        params.push(type);
        texts.push(part.strings[at + 1] ?? '');
      });
      texts[texts.length - 1] += strings[index + 1] ?? '';
    });
    return new Fragment(texts, params, parts.find(({ missing }) => missing)?.missing);
  }

  get text(): string {
    return this.strings.map((text, at) => (at === 0 ? text : `$${at}${text}`)).join('');
  }
}
