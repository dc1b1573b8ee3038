import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SECRETS_FILE } from '../../../signing/src/settings.ts';
import type { Ids } from '../kernel/ids.ts';
import { ConfigError } from '../startup/config.ts';

/** The secrets that video URLs are signed with when none are configured: one is made on the first run and kept
 *  in the data directory (mode 0600, one a line, newest first).
 *  @throws ConfigError when the file holds none */
export function keepVideoSecrets(dataDir: string, ids: Ids): readonly string[] {
  const file = path.join(dataDir, SECRETS_FILE);
  const draft = `${file}.${process.pid}.draft`;
  writeFileSync(draft, `${ids.secret(24)}\n`, { mode: 0o600 });
  try {
    // Whole or not at all, and never over one that is there.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const secrets = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  if (secrets.length === 0) throw new ConfigError(`${file} is empty: remove it, or set VIRGA_VIDEO_SECRETS`);
  return secrets;
}
