import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { SERVER_FLAGS } from '../../scripts/lib/server-flags.mjs';
import { readConfig, SETTINGS } from '../../server/src/startup/config.ts';
import { SECRET_SETTINGS } from '../../server/src/startup/secret-settings.ts';

/** Packages for containers, systemd and Kubernetes: what they set is what the server reads. */

const ROOT = path.join(import.meta.dirname, '..', '..');
const CHART = 'packaging/helm/virga';
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');

const { version } = JSON.parse(read('package.json'));
const pairsIn = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/\b([A-Z][A-Z_]+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
  );

const dockerfile = read('Dockerfile').replaceAll('\\\n', ' ');
const image = pairsIn(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '');
const compose = parse(read('compose.yaml'), { merge: true });
const unit = read('packaging/systemd/virga.service');

/** Of other programs. */
const OTHERS = ['NODE_ENV'];
/** Files of secrets are not there when this runs. */
const withoutFiles = (env: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/_FILE$|^VIRGA_REGIONS$/.test(name)));

const nodes = Object.entries<{ image: string; environment?: Record<string, string> }>(compose.services)
  .filter(([, service]) => service.image === 'virga')
  .map(([name, { environment = {} }]) => ({ name, environment }));

test('the server reads every setting of the image, of each container and of the unit', () => {
  const units = pairsIn([...unit.matchAll(/^Environment=(.*)$/gm)].map(([, text]) => text).join(' '));
  const all = [image, units, ...nodes.map(({ environment }) => environment)];
  for (const environment of all) {
    const names = Object.keys(environment).filter((name) => !OTHERS.includes(name));
    expect(names.length + nodes.length).toBeGreaterThan(0);
    expect(names.filter((name) => !SETTINGS.includes(name))).toEqual([]);
    expect(() => readConfig(withoutFiles({ ...image, ...environment }), [], '/')).not.toThrow();
  }
});

test('the containers are one node, or two of each role on one database behind a proxy', () => {
  const roles = nodes.map(({ environment }) => environment.VIRGA_ROLE ?? 'all');
  expect(roles).toEqual(['all', 'api', 'api', 'worker', 'worker']);
  const names = nodes.map(({ environment }) => environment.VIRGA_NODE);
  expect(new Set(names).size).toBe(names.length);
  expect(Object.keys(compose.services.proxy.depends_on)).toEqual(names.filter(Boolean));
  const secrets = new Set(nodes.flatMap(({ name }) => compose.services[name].secrets ?? []));
  expect([...secrets].filter((name) => !(name in compose.secrets))).toEqual([]);
  for (const { environment } of nodes)
    for (const [name, file] of Object.entries(environment))
      if (name.endsWith('_FILE')) expect(secrets).toContain(path.basename(file));
});

test('Node starts with the flags of npm start, in the image and by the unit', () => {
  const entry = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? '[]');
  const main = '/usr/local/lib/node_modules/virga/server/dist/main.js';
  expect(entry).toEqual(['node', ...SERVER_FLAGS, main]);
  expect(unit).toContain(`\nExecStart=/usr/bin/node ${SERVER_FLAGS.join(' ')} ${main}\n`);
});

test('the chart has the version of the program, and its settings are those of the server', () => {
  const chart = parse(read(`${CHART}/Chart.yaml`));
  expect(chart).toMatchObject({ version, appVersion: version });
  const templates = readdirSync(path.join(ROOT, CHART, 'templates')).map((name) =>
    read(`${CHART}/templates/${name}`),
  );
  const own = [...templates.join('\n').matchAll(/name: ([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name);
  expect(own.filter((name) => !SETTINGS.includes(name))).toEqual([]);
  const isSecret = (name: string) => SECRET_SETTINGS.some((secret) => name === secret);
  const taken = [...own, ...Object.keys(image), ...own.map((name) => name.replace(/_FILE$/, ''))];
  const rest = SETTINGS.filter((name) => !isSecret(name) && !taken.includes(name));
  const schema = JSON.parse(read(`${CHART}/values.schema.json`));
  expect(schema.properties.settings.propertyNames.enum).toEqual(rest);
  // What may be given is what is there.
  expect(Object.keys(schema.properties)).toEqual(Object.keys(parse(read(`${CHART}/values.yaml`))));
});
