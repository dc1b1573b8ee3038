import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { type Message, ROOT, sourcesIn, textOf } from './messages.ts';

/** Every text of the portal and the command line that a person sees: what stands between tags, and strings that read
 *  as the beginning of a sentence or a title. */
export function readTexts(folders: readonly string[]): readonly Message[] {
  const found = new Map<string, Message>();
  for (const file of folders.flatMap(sourcesIn)) {
    const folder = path
      .relative(ROOT, file)
      .split('/')
      .filter((part) => part !== 'src')
      .slice(0, -1)
      .slice(0, 3)
      .join('/');
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const look = (node: ts.Node): void => {
      const text = shownIn(node)?.replace(/\s+/g, ' ').trim();
      for (const one of text ? [text, ...onButton(node, text)] : []) {
        found.set(`${folder}\n${one}`, { folder, text: one });
      }
      if (!ts.isImportDeclaration(node)) ts.forEachChild(node, look);
    };
    look(source);
  }
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? []);
}

function shownIn(node: ts.Node): string | undefined {
  if (ts.isJsxText(node)) return /\p{L}/u.test(node.text) ? node.text : undefined;
  const text = textOf(node);
  const isShown =
    ts.isStringLiteral(node) && ts.isJsxAttribute(node.parent) && SHOWN.test(node.parent.name.getText());
  return text && (isShown || /^(\{\w+\} )?\p{Lu}.* /u.test(text)) ? text : undefined;
}

/** The form that an entry of a menu opens says the same on its button, without the dots, unless it has a verb of its
 *  own. */
function onButton(node: ts.Node, text: string): readonly string[] {
  const form = node.parent.parent?.parent;
  const isLabel = text.endsWith('…') && form && ts.isCallExpression(form);
  const opens = isLabel && /^use(Row|Field)Form$/.test(form.expression.getText());
  return opens && !/\b(verb: |editing\()/.test(form.getText()) ? [text.slice(0, -1)] : [];
}

/** Properties of elements that are shown. */
const SHOWN = /^(about|alt|aria-label|children|description|label|legend|placeholder|title)$/;
