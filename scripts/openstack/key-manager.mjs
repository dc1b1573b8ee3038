// @ts-check
import { copyFileSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { configurationOf } from './configuration.mjs';
import { HOST, PORTS } from './place.mjs';
import { runToEnd, until } from './processes.mjs';
import { answers, program, serve } from './services.mjs';

/** Barbican, which keeps certificates and keys for load balancers. */

/** @typedef {import('./configuration.mjs').Setup} Setup */

/** @param {Setup} setup */
export async function makeKeyManager(setup) {
  // It takes the name of no file: it looks there by itself.
  const folder = path.join(setup.state, 'home/.barbican');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  copyFileSync(configurationOf(setup, 'barbican'), path.join(folder, 'barbican.conf'));
  await runToEnd(setup.state, 'barbican-manage', [program(setup, 'barbican-manage'), 'db', 'upgrade']);
}

/** @param {Setup} setup */
export async function startKeyManager(setup) {
  const env = {
    PYTHONPATH: import.meta.dirname,
    VIRGA_PIPELINES: `${setup.python}/etc/barbican/barbican-api-paste.ini`,
  };
  serve(setup, 'barbican', 'key_manager', PORTS.barbican, env);
  await until('Barbican', () => answers(`http://${HOST}:${PORTS.barbican}/`));
}
