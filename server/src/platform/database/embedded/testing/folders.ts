import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder for one test, removed at its end. */
export function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'virga-trial-'));
  chmodSync(folder, mode);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
