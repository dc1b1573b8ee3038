import { readFileSync } from 'node:fs';

/** Settings that are secret, or hold a secret. Each may stand in a file instead, whose path is in `NAME_FILE`, so that
 *  the environment, which others can often read, holds none. */
export const SECRET_SETTINGS = [
  'DATABASE_URL',
  'SMTP_URL',
  'VIRGA_API_KEY',
  'VIRGA_MASTER_KEY',
  'VIRGA_VIDEO_SECRETS',
  'VIRGA_EDGE_REPORT_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
] as const;

export const SECRET_FILE_SETTINGS: readonly string[] = SECRET_SETTINGS.map((name) => `${name}_FILE`);

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with the secrets that are in files.
 *  @param faults gets one sentence for each file that cannot be read, and each setting that is given twice */
export function withSecretsFromFiles(
  env: Environment,
  faults: string[],
  names: readonly string[] = SECRET_SETTINGS,
): Environment {
  const read: Record<string, string> = {};
  for (const name of names) {
    const file = env[`${name}_FILE`]?.trim();
    if (!file) continue;
    if (env[name]?.trim()) faults.push(`${name} and ${name}_FILE are both set; set one of them`);
    try {
      read[name] = readFileSync(file, 'utf8').trim();
      if (read[name] === '') faults.push(`${name}_FILE: ${file} is empty`);
    } catch (error) {
      faults.push(`${name}_FILE: ${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { ...env, ...read };
}
