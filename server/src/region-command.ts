import { text } from 'node:stream/consumers';
import { systemClock } from './kernel/clock.ts';
import { Cipher } from './platform/secrets/cipher.ts';
import { readKeyFile } from './platform/secrets/key-file.ts';
import { checkCloud, type OpenStackSettings } from './providers/openstack/index.ts';
import { cloudSession, sealCredential } from './regions/openstack-regions.ts';
import { readRegionsFile } from './regions/regions-file.ts';
import { type Config, ConfigError, readConfig } from './startup/config.ts';

/** Seals credentials for the file of regions, and says what a region's cloud can do. Needs the settings of a node, and
 *  neither its database nor a server that runs. */

const USAGE = `seal ID      reads the secret of application credential ID, and prints it as the file of regions has it
check NAME   says what the cloud of a region of VIRGA_REGIONS can do`;

/** Where it reads the settings of a node, and what it says. */
export interface Around {
  readonly env: NodeJS.ProcessEnv;
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
}

/** @returns exit code: 1 where the cloud cannot serve, or the words are wrong
 *  @throws ConfigError saying what is wrong with the settings */
export async function regionCommand([verb, name]: readonly string[], around: Around): Promise<number> {
  const config = readConfig(around.env);
  if (verb === 'seal' && name !== undefined) return seal(config, name, around);
  if (verb === 'check' && name !== undefined) return check(config, name, around);
  around.say(USAGE);
  return 1;
}

/** @throws ConfigError when there is no master key yet */
function cipherOf({ masterKeys, dataDir }: Config): Cipher {
  const keys = masterKeys.length > 0 ? masterKeys : readKeyFile(dataDir);
  if (keys.length > 0) return new Cipher(keys);
  throw new ConfigError(
    `There is no master key in ${dataDir} yet: start the server once, or set VIRGA_MASTER_KEY`,
  );
}

async function seal(config: Config, id: string, { print, say }: Around): Promise<number> {
  const cipher = cipherOf(config);
  if (process.stdin.isTTY) say('The secret of the credential, then Enter and Ctrl-D:');
  const secret = (await text(process.stdin)).trim();
  if (secret === '') throw new ConfigError('No secret was given: write it to the standard input');
  print(JSON.stringify({ credential: sealCredential(cipher, { id, secret }) }));
  return 0;
}

async function check(config: Config, name: string, { print }: Around): Promise<number> {
  if (config.regionsFile === undefined)
    throw new ConfigError('Set VIRGA_REGIONS to the file that has the entry of the region');
  const regions = readRegionsFile(config.regionsFile).filter(({ provider }) => provider === 'openstack');
  const region = regions.find((each) => each.display_name === name || each.slug === name);
  const settings = region?.settings.openstack as OpenStackSettings | undefined;
  if (!settings) {
    const all = regions.map((each) => each.display_name).join(', ') || 'none';
    throw new ConfigError(`VIRGA_REGIONS names no region ${name} of the provider openstack: it names ${all}`);
  }
  const cipher = cipherOf(config);
  const clock = systemClock();
  const now = () => clock.now().getTime();
  const findings = await checkCloud(cloudSession(cipher, settings, now), settings, now());
  const width = Math.max(...findings.map(({ what }) => what.length));
  for (const { what, verdict, says } of findings)
    print(`${verdict.padEnd(5)}  ${what.padEnd(width)}  ${says}`);
  return findings.some(({ verdict }) => verdict === 'fails') ? 1 : 0;
}

/** Whether a person can do something about an error. */
export const isConfigError = (error: unknown): error is ConfigError => error instanceof ConfigError;
