// @ts-check
// Part of every bundle: the stack of an error names lines of the sources. A map is read when the first stack needs it.
// Node's own way (--enable-source-maps) reads it at each start, whether or not anything ever goes wrong: a tenth of a
// start.
import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';

/** By the URL of a bundle; undefined: there is none that can be read. @type {Map<string, SourceMap | undefined>} */
const maps = new Map();

/** @param {string} url */
function mapOf(url) {
  if (maps.has(url)) return maps.get(url);
  // What goes wrong in here would hide what went wrong there.
  maps.set(url, undefined);
  try {
    maps.set(url, new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), 'utf8'))));
  } catch {}
  return maps.get(url);
}

/** @param {NodeJS.CallSite} site */
function sourceOf(site) {
  const [url, line, column] = [site.getFileName(), site.getLineNumber(), site.getColumnNumber()];
  const text = String(site);
  if (!url?.startsWith('file:') || line === null || column === null) return text;
  const found = mapOf(url)?.findEntry(line - 1, column - 1);
  if (!found || !('originalSource' in found) || !found.originalSource) return text;
  const file = fileURLToPath(new URL(found.originalSource, url));
  return text.replace(
    `${url}:${line}:${column}`,
    `${file}:${found.originalLine + 1}:${found.originalColumn + 1}`,
  );
}

/** @param {Error} error */
function headOf(error) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error);
  // Node's own errors say their code behind their name.
  if (!code?.startsWith?.('ERR_')) return Error.prototype.toString.call(error);
  return `${error.name} [${code}]: ${error.message}`;
}

Error.prepareStackTrace = (error, sites) =>
  [headOf(error), ...sites.map((site) => `    at ${sourceOf(site)}`)].join('\n');
