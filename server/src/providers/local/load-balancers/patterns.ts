import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { removeHome } from '../../../kernel/engine-accounts.ts';
import { TaskFailed } from '../../../kernel/errors.ts';
import { checks } from '../host/checks.ts';
import { makeDirectoryForEngine, writeForEngine } from '../host/files.ts';
import { quote } from '../host/quoting.ts';
import { ConfigurationRefused, checkConfiguration } from './haproxy.ts';

/** Asks HAProxy whether it accepts this regular expression (PCRE2).
 *  @param root directory for a file that is gone again afterwards
 *  @returns its objection, or null when it accepts it */
export async function patternFault(program: string, root: string, pattern: string): Promise<string | null> {
  let word: string;
  try {
    word = quote(pattern);
  } catch (error) {
    if (error instanceof TaskFailed) return error.message;
    throw error;
  }
  const directory = mkdtempSync(join(root, 'pattern-'));
  try {
    const file = join(directory, 'haproxy.cfg');
    makeDirectoryForEngine(directory, directory);
    writeForEngine(file, configuration(word), directory);
    await checks.run(() => checkConfiguration(program, file, directory));
    return null;
  } catch (error) {
    if (!(error instanceof ConfigurationRefused)) throw error;
    const found = /regex '.*' is invalid \(error=(.*?), erroffset=(\d+)\)/s.exec(error.message);
    return found ? `${found[1]} (at character ${found[2]})` : 'HAProxy does not accept it';
  } finally {
    await removeHome(directory);
  }
}

const configuration = (word: string): string => `defaults
  timeout client 1s
  timeout server 1s
  timeout connect 1s
frontend pattern
  mode http
  bind ipv4@127.0.0.1:1
  acl pattern path -m reg -- ${word}
  http-request deny if pattern
`;
