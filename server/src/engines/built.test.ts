import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { newFolder } from '../../../test/harness/leftovers.ts';
import { BUILT_SETTING, builtName } from './built.ts';
import { type Engine, Engines } from './index.ts';

const PROGRAM = '#!/bin/sh\necho "virga-s3 1.0"\n';
const SOURCE: Engine['source'] = { kind: 'go', module: 's3', program: 'virga-s3' };
const ENGINE: Engine = {
  name: 'tool',
  title: 'A tool',
  why: 'tests',
  version: '1.0',
  source: SOURCE,
  small: false,
  probe: async () => 'works',
};
const NAME = builtName(SOURCE);
const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');

let shelf: string;
beforeEach(() => {
  shelf = newFolder('server');
});

/** A file server. @returns its address */
async function served(files: Readonly<Record<string, string>>): Promise<string> {
  const server = http.createServer(({ url = '' }, response) => {
    const text = files[url.slice('/engines/'.length)];
    response.writeHead(text === undefined ? 404 : 200).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/engines`;
}

/** Installs the tool from there. Nothing is built: there is no Go. */
async function install(base: string) {
  const env = { PATH: '/nowhere', [BUILT_SETTING]: base };
  const said: string[] = [];
  const engines = new Engines({ folders: [shelf], engines: [ENGINE], env });
  return { program: await engines.install('tool', (line) => said.push(line)), said };
}

test('an engine that was built elsewhere is fetched, and what is not its file is refused', async () => {
  const other = { SHA256SUMS: `${sumOf('another')}  ${NAME}\n`, [NAME]: PROGRAM };
  await expect(install(await served(other))).rejects.toThrow(
    `is not the file that was expected: its SHA-256 is ${sumOf(PROGRAM)}`,
  );
  expect(readdirSync(shelf)).toEqual([]);
  const base = await served({
    SHA256SUMS: `${sumOf('more')}  virga-more\n${sumOf(PROGRAM)} *${NAME}\n`,
    [NAME]: PROGRAM,
  });
  const { program, said } = await install(`${base}/`);
  expect(readFileSync(program, 'utf8')).toBe(PROGRAM);
  expect(said[0]).toBe(`Fetching ${base}/${NAME}.`);
});

test('a server without a list, or that may not be asked, is named with what is wrong', async () => {
  const base = await served({});
  await expect(install(base)).rejects.toThrow(`${base}/SHA256SUMS answers 404`);
  await expect(install('http://files.example/engines')).rejects.toThrow(
    `${BUILT_SETTING} must be an address that begins with https://`,
  );
  const secret = await install('https://carl:hunter2@files.example/engines').catch((error: Error) => error);
  expect(String(secret)).toContain('must have no user name or password in it');
  expect(String(secret)).not.toContain('hunter2');
  const listed = await served({ SHA256SUMS: `${sumOf(PROGRAM)}  ${NAME}\n` });
  await expect(install(listed)).rejects.toThrow(`${listed}/${NAME} answers 404`);
  await expect(install('http://127.0.0.1:9/engines')).rejects.toThrow('cannot be fetched: ');
  expect(readdirSync(shelf)).toEqual([]);
});
