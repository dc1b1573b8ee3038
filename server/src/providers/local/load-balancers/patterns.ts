import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { TaskFailed } from '../../../kernel/errors.ts';
import { removeFolder } from '../../../kernel/files.ts';
import { checks } from '../checks.ts';
import { makeDirectoryForEngine, writeForEngine } from './files.ts';
import { ConfigurationRefused, checkConfiguration } from './haproxy.ts';
import { quote } from './quoting.ts';

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
    makeDirectoryForEngine(directory);
    writeForEngine(file, configuration(word));
    await checks.run(() => checkConfiguration(program, file));
    return null;
  } catch (error) {
    if (!(error instanceof ConfigurationRefused)) throw error;
    const found = /regex '.*' is invalid \(error=(.*?), erroffset=(\d+)\)/s.exec(error.message);
    return found ? `${found[1]} (at character ${found[2]})` : 'HAProxy does not accept it';
  } finally {
    await removeFolder(directory);
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
