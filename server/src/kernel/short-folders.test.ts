import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { noteOrigin, removeAbandonedFolders } from './short-folders.mjs';

test('what stands for a folder that is gone is cleared away, and nothing else', () => {
  const parent = mkdtempSync(path.join(tmpdir(), 'virga-short-'));
  try {
    const folder = (name: string, origin?: string) => {
      mkdirSync(path.join(parent, name), { mode: 0o700 });
      if (origin !== undefined) noteOrigin(path.join(parent, name), origin);
      return path.join(parent, name);
    };
    const gone = path.join(parent, 'gone');
    const names = ['0123456789abcdef', '0123456789ab-2', 'pg-0123456789abcdef', 's3-0123456789abcdef'];
    const abandoned = names.map((name) => folder(`virga-${name}`, gone));
    const used = folder('virga-0123456789abcde0', parent);
    const silent = folder('virga-0123456789ab');
    const foreign = folder('something-else', gone);
    const linked = folder('virga-0123456789abcde1');
    symlinkSync(path.join(foreign, 'origin'), path.join(linked, 'origin'));
    noteOrigin(used, gone);
    removeAbandonedFolders(parent);
    expect(abandoned.map((each) => existsSync(each))).toEqual(names.map(() => false));
    expect([used, silent, foreign, linked].map((each) => existsSync(each))).toEqual([true, true, true, true]);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
