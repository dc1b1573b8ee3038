// @ts-check
// Runs on any Node that knows modules at all: keep to the oldest syntax, and import nothing.

const OLDEST_MAJOR = 20;
const OLDEST_MINOR = 19;

/**
 * @param {string} version for example "18.19.0"
 * @returns {string | undefined} one line that says what to do; undefined when the version will do
 */
export function nodeVersionProblem(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST_MAJOR || (major === OLDEST_MAJOR && minor >= OLDEST_MINOR)) return undefined;
  return `Virga needs Node ${OLDEST_MAJOR}.${OLDEST_MINOR} or newer, and this is Node ${version}: see https://nodejs.org/en/download`;
}

const problem = nodeVersionProblem(process.versions.node);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
