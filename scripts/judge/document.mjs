// @ts-check
import { writeFileSync } from 'node:fs';

/**
 * Keeps a document of the server as a file, for tools that read no addresses.
 * @param {import('./tool.d.ts').Server} server
 * @param {string} where such as `/openapi.json`
 * @param {string} file
 */
export async function fetchDocument(server, where, file) {
  const response = await fetch(`${server.url}${where}`);
  if (!response.ok) throw new Error(`${where} answers ${response.status}`);
  writeFileSync(file, await response.text());
}
