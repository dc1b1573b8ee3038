// @ts-check
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A file of more lines is worth a second look; what belongs together stays together. */
const LONG = 400;

/**
 * Files of code with many lines, the longest first. A report, not a rule.
 * @param {string} root
 * @returns {string[]}
 */
export function longFiles(root) {
  const { stdout } = spawnSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.css', '*.py'], {
    cwd: root,
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((file) => file !== '' && !file.includes('.gen.'))
    .map((file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n').length - 1 }))
    .filter(({ lines }) => lines > LONG)
    .sort((one, other) => other.lines - one.lines)
    .map(({ file, lines }) => `${file} has ${lines} lines`);
}
