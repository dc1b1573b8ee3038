import { readFileSync } from 'node:fs';
import path from 'node:path';
import { withSecretsFromFiles } from '../../signing/src/secret-files.ts';
import {
  type Environment,
  readVideoSettings,
  SECRETS_FILE,
  type VideoSettings,
} from '../../signing/src/settings.ts';

export type { VideoSettings } from '../../signing/src/settings.ts';

export interface EdgeSettings extends VideoSettings {
  /** Where what must survive a crash is kept. */
  readonly dataDir: string;
}

/** A setting that cannot be used; its message is one line for the person who starts the program. */
export class EdgeSettingsError extends Error {}

/** The settings of an edge. Without VIRGA_VIDEO_SECRETS they are those that a server keeps in the same
 *  VIRGA_DATA_DIR.
 *  @throws EdgeSettingsError naming every wrong setting, in one line */
export function readEdgeSettings(environment: Environment, cwd = process.cwd()): EdgeSettings {
  const faults: string[] = [];
  const env = withSecretsFromFiles(environment, faults, [
    'VIRGA_VIDEO_SECRETS',
    'VIRGA_EDGE_REPORT_TOKEN',
    'VIRGA_EDGE_S3_CREDENTIALS',
  ]);
  const settings = readVideoSettings(env, faults, cwd);
  const dataDir = path.resolve(cwd, env.VIRGA_DATA_DIR?.trim() || '.virga');
  const secrets = settings.secrets.length > 0 ? settings.secrets : keptSecrets(dataDir);
  if (secrets.length === 0) faults.push('VIRGA_VIDEO_SECRETS must be set (no server has made one here yet)');
  if (faults.length > 0) throw new EdgeSettingsError(faults.join('; '));
  return { ...settings, secrets, dataDir };
}

function keptSecrets(dataDir: string): readonly string[] {
  try {
    return readFileSync(path.join(dataDir, SECRETS_FILE), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}
