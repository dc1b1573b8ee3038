import { createRequire } from 'node:module';
import { beforeAll, expect } from 'vitest';
import { Language, type Node, Parser } from 'web-tree-sitter';

/** A parser of the infrastructure tool's language for the tests of a file; it is there when they begin. */
export function hclParser(): { parse(text: string): Node } {
  const parser: { parse(text: string): Node } = { parse: () => expect.fail('the parser is not there yet') };
  beforeAll(async () => {
    await Parser.init();
    const { resolve } = createRequire(import.meta.url);
    const own = new Parser();
    own.setLanguage(
      await Language.load(resolve('@tree-sitter-grammars/tree-sitter-hcl/tree-sitter-terraform.wasm')),
    );
    parser.parse = (text) => own.parse(text)?.rootNode ?? expect.fail('nothing was parsed');
  });
  return parser;
}
