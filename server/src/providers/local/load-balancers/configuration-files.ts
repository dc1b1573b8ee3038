import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../../../kernel/files.ts';
import { makeDirectoryForEngine, writeForEngine } from '../host/files.ts';
import type { Rendering } from './config/rendering.ts';
import { checkConfiguration } from './haproxy.ts';
import type { Paths } from './paths.ts';
import { EMPTY_SERVER_STATE } from './server-state.ts';

/** Puts a new configuration in the place of the old one. Where a process runs on the old one, HAProxy
 *  first has to say that it could run the new one; otherwise its start will say so.
 *  @returns how to put the old one back, for when the process then cannot load it
 *  @throws ConfigurationRefused when HAProxy refuses it; then nothing has changed */
export async function replaceConfiguration(
  program: string,
  paths: Paths,
  rendering: Rendering,
  isRunning: boolean,
): Promise<() => void> {
  const home = paths.directory;
  makeDirectoryForEngine(home, home);
  makeDirectoryForEngine(paths.certificates, home);
  // What is in place was checked when it was put there.
  if (isWritten(paths, rendering)) return () => undefined;
  const targets = [...rendering.files.map(({ path }) => path), paths.config];
  const previous = new Map(targets.map((path) => [path, readText(path)]));
  const putBack = () => {
    for (const [path, text] of previous) {
      if (text === null) rmSync(path, { force: true });
      else writeForEngine(path, text, home);
    }
  };
  const candidate = `${paths.config}.candidate`;
  try {
    for (const { path, content } of rendering.files) writeForEngine(path, content, home);
    if (readText(paths.serverState) === null) writeForEngine(paths.serverState, EMPTY_SERVER_STATE, home);
    if (isRunning) {
      writeForEngine(candidate, rendering.config, home);
      await checkConfiguration(program, candidate, home);
    }
    writeForEngine(paths.config, rendering.config, home);
  } catch (error) {
    putBack();
    throw error;
  } finally {
    rmSync(candidate, { force: true });
  }
  return putBack;
}

/** Removes files that the configuration no longer names: a private key stays no longer than needed. */
export function removeStaleFiles(paths: Paths, rendering: Rendering): void {
  const named = new Set(rendering.files.map(({ path }) => path));
  for (const name of readdirSync(paths.certificates)) {
    const path = join(paths.certificates, name);
    if (!named.has(path)) rmSync(path, { force: true });
  }
}

/** Whether the files on disk already say this. */
export function isWritten(paths: Paths, rendering: Rendering): boolean {
  return (
    readText(paths.config) === rendering.config &&
    rendering.files.every(({ path, content }) => readText(path) === content)
  );
}
