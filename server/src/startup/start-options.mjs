// @ts-check
// The options of `npm start`, in one table. Plain JavaScript without imports, because a start reads them before
// anything is installed or bundled.

/**
 * @typedef {object} StartOption
 * @property {string} name
 * @property {string} [value] what stands behind it; absent: nothing
 * @property {boolean} [optional] the value may be left out
 * @property {boolean} [background] of the start itself, not of the server
 * @property {string} [setting] the setting that it stands for
 * @property {string} means
 */

/** @type {readonly StartOption[]} */
export const START_OPTIONS = [
  {
    name: '--port',
    value: 'PORT',
    means: 'where the API listens, instead of PORT or 8080; 0: at any free port',
  },
  { name: '--role', value: 'all|api|worker', means: 'what this node does, instead of VIRGA_ROLE or all' },
  {
    name: '--data-dir',
    value: 'FOLDER',
    setting: 'VIRGA_DATA_DIR',
    means: 'where everything is kept, instead of VIRGA_DATA_DIR or .virga; :temporary: goes at the end',
  },
  {
    name: '--seed-file',
    value: 'FILE',
    setting: 'VIRGA_SEED_FILE',
    means: 'calls that a first start makes, instead of VIRGA_SEED_FILE',
  },
  {
    name: '--wait',
    value: 'SECONDS',
    optional: true,
    background: true,
    means: 'start in the background, end when the server is ready, and print NAME=value lines for scripts',
  },
  { name: '--detach', value: 'SECONDS', optional: true, background: true, means: 'the same as --wait' },
  { name: '--help', means: 'print this' },
  { name: '--version', means: 'print the version' },
];

/** Settings of the command `virga`. A server that starts in the same shell does without them. */
export const COMMAND_SETTINGS = [
  'VIRGA_TOKEN',
  'VIRGA_OPERATOR_TOKEN',
  'VIRGA_PROFILE',
  'VIRGA_DEFAULT_PROJECT',
  'VIRGA_DEFAULT_REGION',
];

/**
 * @param {readonly string[]} args `--port 80` or `--port=80`
 * @returns {{ values: Readonly<Record<string, string>>, faults: string[] }} values by the option's name without dashes;
 *   an option that was given without a value is ''
 */
export function readStartOptions(args) {
  /** @type {Record<string, string>} */
  const values = {};
  /** @type {string[]} */
  const faults = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') continue;
    const [name = '', given] = splitOnce(arg);
    const option = START_OPTIONS.find((each) => each.name === name);
    if (!option) {
      faults.push(`${arg} is not an option; there are ${START_OPTIONS.map((each) => each.name).join(', ')}`);
      continue;
    }
    if (given !== undefined && option.value === undefined)
      faults.push(`${name} takes no value, not "${given}"`);
    const next = option.value !== undefined && !option.optional ? args[i + 1] : undefined;
    if (given === undefined && next !== undefined) i++;
    if (option.value !== undefined && !option.optional && !(given ?? next))
      faults.push(`${name} needs a value: ${name}=${option.value}`);
    values[name.slice(2)] = given ?? next ?? '';
  }
  return { values, faults };
}

/**
 * The settings that options stand for.
 * @param {readonly string[]} args
 * @returns {Record<string, string>} by the names of the environment
 */
export function settingsIn(args) {
  const { values } = readStartOptions(args);
  return Object.fromEntries(
    START_OPTIONS.flatMap(({ name, setting }) => {
      const value = values[name.slice(2)];
      return setting && value ? [[setting, value]] : [];
    }),
  );
}

/** @param {string} arg */
function splitOnce(arg) {
  const at = arg.indexOf('=');
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}

/**
 * @param {string} command how it is called: `npm start --`
 * @returns {string}
 */
export function startHelp(command) {
  const lines = START_OPTIONS.map(({ name, value, optional, means }) => {
    const text = value === undefined ? name : optional ? `${name}[=${value}]` : `${name}=${value}`;
    return `  ${text.padEnd(22)}${means}`;
  });
  return [
    `${command} [OPTIONS]`,
    ...lines,
    'Settings come from the environment: docs/operations.md lists them.',
  ].join('\n');
}
