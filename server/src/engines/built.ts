import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EngineError, type Source } from './engine.ts';
import { folderOf } from './locations.ts';

/** Engines that were built on another machine, at a file server of whoever runs this one. */

export const BUILT_SETTING = 'VIRGA_ENGINES_URL';
const SUMS = 'SHA256SUMS';
const SUMS_MS = 30_000;
const DOWNLOAD_MS = 10 * 60_000;
const LARGEST_SUMS = 1024 * 1024;
const LARGEST_PROGRAM = 1024 ** 3;
/** As `sha256sum` writes it. */
const SUM_LINE = /^([0-9a-f]{64}) [ *](\S+)$/gm;

/** What a built engine is called there: other sources, versions and machines have other names. */
export const builtName = (source: Source): string =>
  `${path.basename(folderOf(source, '/'))}-${process.platform}-${process.arch}`;

/** Fetches a file and checks it.
 *  @throws EngineError when it is not there, too large, or another file */
export async function fetchProgram(url: string, sha256: string, file: string): Promise<void> {
  const response = await get(url, DOWNLOAD_MS);
  const hash = createHash('sha256');
  let size = 0;
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(size > LARGEST_PROGRAM ? new EngineError(`${url} is larger than 1 GiB`) : null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(response), checked, createWriteStream(file, { mode: 0o755 }));
  const digest = hash.digest('hex');
  if (digest !== sha256)
    throw new EngineError(`${url} is not the file that was expected: its SHA-256 is ${digest}`);
}

/** Fetches a built engine where a setting says that there are such, and their list has it.
 *  @param base of the setting; undefined: there are none
 *  @returns whether it is in the file now
 *  @throws EngineError when the server or the file is not as it should be */
export async function fetchBuilt(
  base: string | undefined,
  source: Source,
  file: string,
  say: (line: string) => void,
): Promise<boolean> {
  if (base === undefined) return false;
  const url = requireBase(base);
  const name = builtName(source);
  const sums = await textOf(`${url}/${SUMS}`);
  const sum = [...sums.matchAll(SUM_LINE)].find(([, , listed]) => listed === name)?.[1];
  if (sum === undefined) {
    say(`${url}/${SUMS} does not list ${name}: it is built here.`);
    return false;
  }
  say(`Fetching ${url}/${name}.`);
  await fetchProgram(`${url}/${name}`, sum, file);
  return true;
}

/** The list says which files are right, so nobody on the way may change it. */
function requireBase(base: string): string {
  const url = URL.canParse(base) ? new URL(base) : undefined;
  // Nobody else is to read them in messages and logs.
  if (url?.username || url?.password)
    throw new EngineError(`${BUILT_SETTING} must have no user name or password in it`);
  const isLocal = url?.protocol === 'http:' && /^(127\.[\d.]+|\[::1\]|localhost)$/.test(url.hostname);
  if (url?.protocol !== 'https:' && !isLocal)
    throw new EngineError(`${BUILT_SETTING} must be an address that begins with https://, not ${base}`);
  return base.replace(/\/+$/, '');
}

async function textOf(url: string): Promise<string> {
  let text = '';
  for await (const chunk of Readable.fromWeb(await get(url, SUMS_MS))) {
    text += chunk;
    if (text.length > LARGEST_SUMS) throw new EngineError(`${url} is larger than 1 MiB`);
  }
  return text;
}

async function get(url: string, patienceMs: number) {
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message : error.message;
    throw new EngineError(`${url} cannot be fetched: ${cause}`);
  });
  if (!response.ok) throw new EngineError(`${url} answers ${response.status}`);
  if (response.body === null) throw new EngineError(`${url} is empty`);
  return response.body as import('node:stream/web').ReadableStream;
}
