import { readFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment with the secrets that are in files: each may stand in a file whose path is in `NAME_FILE`, so that
 *  the environment, which others can often read, holds none.
 *  @param faults gets one sentence for each file that cannot be read, and each setting that is given twice
 *  @param names of the settings that are secret, or hold a secret */
export function withSecretsFromFiles(
  env: Environment,
  faults: string[],
  names: readonly string[],
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
