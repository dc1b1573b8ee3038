import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { copyTree } from './copy-tree.ts';

test('a copy whose writer ends fails, instead of waiting for ever', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'virga-copied-'));
  chmodSync(folder, 0o755);
  // More than a pipe holds.
  writeFileSync(path.join(folder, 'large'), Buffer.alloc(8_000_000), { mode: 0o644 });
  const missing = { folder: path.join(folder, 'missing'), home: undefined };
  await expect(copyTree({ folder, home: undefined }, missing)).rejects.toThrow(
    `${folder} could not be copied: `,
  );
  rmSync(folder, { recursive: true });
});
