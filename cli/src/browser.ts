import { spawn } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** Opens a link that signs in, in the person's browser. The link stands in a file that only they can read: as an
 *  argument of a program everybody on the machine could see it.
 *  @returns whether there is a browser to open it */
export function openInBrowser(folder: string, link: string, env: NodeJS.ProcessEnv): boolean {
  const isMac = process.platform === 'darwin';
  if (!isMac && !env.DISPLAY && !env.WAYLAND_DISPLAY) return false;
  const file = path.join(folder, 'open.html');
  const address = JSON.stringify(link).replaceAll('<', '\\u003c');
  writeFileSync(file, `<!doctype html><title>Virga</title><script>location.replace(${address})</script>\n`, {
    mode: 0o600,
  });
  chmodSync(file, 0o600);
  const options = { env, stdio: 'ignore', detached: true } as const;
  const child = spawn(isMac ? 'open' : 'xdg-open', [pathToFileURL(file).href], options);
  child.on('error', () => undefined).unref();
  return true;
}
