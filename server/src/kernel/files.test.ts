import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeFolder, writeFileAtomically } from './files.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'virga-files-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a text of 20,000 letters in a process whose files have room for a part of it, as on a full disk.
 *  @returns what the write threw */
function writeWithLittleRoom(file: string): string {
  const program = `
    import { writeFileAtomically } from ${JSON.stringify(path.join(import.meta.dirname, 'files.ts'))};
    try { writeFileAtomically(${JSON.stringify(file)}, 'new'.repeat(7000)); } catch (error) { process.stdout.write(error.code); }`;
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$@"`;
  const node = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', program];
  return execFileSync('bash', ['-c', limited, 'bash', ...node], { encoding: 'utf8' });
}

test('a file for which there is no room keeps its old text, and whoever writes it gets the error', () => {
  const file = path.join(folder, 'notes.json');
  const old = 'old'.repeat(1000);
  writeFileAtomically(file, old);
  expect(writeWithLittleRoom(file)).toBe('EFBIG');
  expect(readFileSync(file, 'utf8')).toBe(old);
  expect(readdirSync(folder)).toEqual(['notes.json']);
});

test('a folder of many files is removed while others get to their files', async () => {
  const many = path.join(folder, 'many');
  const inner = path.join(many, 'of', 'them');
  mkdirSync(inner, { recursive: true });
  for (let index = 0; index < 3_000; index += 1) writeFileSync(path.join(inner, String(index)), '');
  const left = () => (existsSync(inner) ? readdirSync(inner).length : 0);
  const removed = removeFolder(many);
  while (left() === 3_000) await turn();
  await stat(folder);
  expect(left()).toBeGreaterThan(1_000);
  await removed;
  expect(existsSync(many)).toBe(false);
});

test('of a folder that is removed, what its links lead to stays', async () => {
  const [kept, gone] = [path.join(folder, 'kept'), path.join(folder, 'gone')];
  for (const each of [kept, gone]) mkdirSync(each);
  writeFileSync(path.join(kept, 'file'), 'kept');
  for (const [name, target] of [
    ['to-folder', kept],
    ['to-file', path.join(kept, 'file')],
    ['to-nothing', path.join(folder, 'nothing')],
  ] as const)
    symlinkSync(target, path.join(gone, name));
  symlinkSync(kept, path.join(folder, 'link'));
  for (const each of [gone, path.join(folder, 'link'), path.join(folder, 'nothing')])
    await removeFolder(each);
  expect([existsSync(gone), existsSync(path.join(folder, 'link'))]).toEqual([false, false]);
  expect(readFileSync(path.join(kept, 'file'), 'utf8')).toBe('kept');
});
