// @ts-check
// npm run openstack -- up|down|status|test: an OpenStack on this machine, for regions of the provider `openstack`.
import './lib/node-version.mjs';

const { ROOT } = await import('./lib/root.mjs');
const { installNodeModules } = await import('./lib/node-modules.mjs');
if (!installNodeModules(ROOT, true)) process.exit(1);
const { openstackCommand } = await import('./openstack/command.mjs');
// What was still being waited for when it failed is not waited for any more.
process.exit(await openstackCommand(ROOT, process.argv.slice(2)));
