// @ts-check
// The guide: docs/ as pages, with a search that needs nobody else. npm run guide builds it.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { PARTS, pageOf } from '../order.mjs';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
/** Of a folder that is one entry of the table. */
const below = (/** @type {string} */ folder) =>
  readdirSync(path.join(ROOT, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => `${folder}/${name}`);
const RECIPES = below('docs/recipes');
const DECISIONS = below('docs/decisions');
const FILES = [...PARTS.flatMap(({ files }) => files), ...RECIPES, ...DECISIONS];

const titleOf = (/** @type {string} */ file) =>
  /^# (.*)$/m.exec(readFileSync(path.join(ROOT, file), 'utf8'))?.[1]?.replaceAll('`', '') ?? file;
const linkOf = (/** @type {string} */ file) => `/${pageOf(file).replace(/(index)?\.md$/, '')}`;
const itemOf = (/** @type {string} */ file) => ({
  text: file === 'README.md' ? 'Start' : titleOf(file),
  link: linkOf(file),
  ...(file === 'docs/recipes/README.md' && { collapsed: true, items: RECIPES.map(itemOf) }),
  ...(file === 'docs/architecture.md' && { collapsed: true, items: DECISIONS.map(itemOf) }),
});

export default defineConfig({
  title: 'Virga',
  description: 'A cloud control plane that anyone can run',
  base: '/guide/',
  srcDir: '..',
  outDir: process.env.GUIDE_OUT ?? 'dist',
  cacheDir: process.env.GUIDE_CACHE ?? 'dist.cache',
  srcExclude: [
    '**/node_modules/**',
    '**/dist/**',
    ...['bench', 'cli', 'edge', 'engines', 'packaging', 'portal', 'scripts', 'server', 'signing', 'test'].map(
      (folder) => `${folder}/**`,
    ),
    'CHANGELOG.md',
    'docs/*.intro.md',
    'docs/*.judged.md',
  ],
  rewrites: {
    'guide/index.md': 'index.md',
    ...Object.fromEntries(FILES.map((file) => [file, pageOf(file)])),
  },
  cleanUrls: true,
  // What a page would run beside its files is forbidden by the server's policy.
  appearance: false,
  metaChunk: true,
  transformHtml: (html) =>
    html.replace(/<script id="check-mac-os">.*?<\/script>/s, '').replaceAll(/ style="[^"]*"/g, ''),
  ignoreDeadLinks: false,
  markdown: {
    // Colours would be styles of single words, which the policy forbids, too.
    highlight: (code, language) =>
      `<pre class="shiki" data-language="${language}"><code>${escaped(code)}</code></pre>`,
    config: (markdown) => {
      markdown.core.ruler.push('links of the repository', linkPages);
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: PARTS.map(({ title, files }) => ({ text: title, items: files.map(itemOf) })),
    nav: PARTS.map(({ title, files: [first = ''] }) => ({ text: title, link: linkOf(first) })),
  },
});

const escaped = (/** @type {string} */ text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    // Vue would look for expressions in it.
    .replaceAll('{{', '&#123;&#123;');

/**
 * Links between documents are those between their pages. Files that are not in the guide, such as sources, become plain
 * text.
 * @param {{ tokens: { children: Token[] | null }[], env: { path: string, realPath?: string } }} state
 */
function linkPages({ tokens, env }) {
  const folder = path.dirname(env.realPath ?? env.path);
  for (const { children } of tokens) {
    let isPlain = false;
    for (const token of children ?? []) {
      if (token.type === 'link_open') isPlain = !linked(token, folder);
      if (!isPlain || !['link_open', 'link_close'].includes(token.type)) continue;
      token.tag = 'span';
      token.attrs = null;
    }
  }
}

/**
 * @typedef {object} Token
 * @property {string} type
 * @property {string} tag
 * @property {unknown} attrs
 * @property {(name: string) => string | null} attrGet
 * @property {(name: string, value: string) => void} attrSet
 */

/**
 * @param {Token} token
 * @param {string} folder of the document
 * @returns {boolean} whether what it links to can be reached
 */
function linked(token, folder) {
  const href = token.attrGet('href') ?? '';
  if (/^[a-z]+:|^[#/]/.test(href)) return true;
  const [target = '', anchor] = href.split('#');
  const file = path.relative(ROOT, path.resolve(folder, target));
  if (!FILES.includes(file)) return false;
  token.attrSet('href', `/${pageOf(file)}${anchor === undefined ? '' : `#${anchor}`}`);
  return true;
}
