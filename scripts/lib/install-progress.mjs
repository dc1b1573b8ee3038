// @ts-check
// node scripts/lib/install-progress.mjs ROOT DEVELOPMENT PARENT [MILLISECONDS]: says every so often how far an install
// of npm packages is. npm says nothing while it has no network and tries again, which takes minutes.
import { missingPackages } from './node-modules.mjs';

const [root = '.', development = '', parent = '0', everyMs = '15000'] = process.argv.slice(2);
const began = performance.now();
let most = missingPackages(root, development === 'true').length;

setInterval(() => {
  // Whoever installs may have been killed.
  if (process.ppid !== Number(parent)) process.exit();
  const left = missingPackages(root, development === 'true').length;
  // It removes the packages that are there first.
  most = Math.max(most, left);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(
    left === most
      ? `npm has installed nothing yet after ${seconds} s. Without a network it tries for some minutes, and then says so.`
      : `npm has installed ${most - left} of ${most} packages after ${seconds} s.`,
  );
}, Number(everyMs));
