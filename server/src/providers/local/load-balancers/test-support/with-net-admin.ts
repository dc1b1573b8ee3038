import { newFolder } from '../../../../../../test/harness/leftovers.ts';
import { ExternalAddresses } from '../../addresses/external.ts';
import { LocalAddresses } from '../../addresses/provider.ts';
import { createLocalLoadBalancers } from '../provider.ts';
import { listener, loadBalancer, member, pool } from './desired.ts';
import { operation } from './provider.ts';

/** Run as a process of its own, by a user with one capability: serves at addresses of an interface until its input ends.
 *  Arguments: interface, port of a member. */
const [device = '', memberPort = ''] = process.argv.slice(2);
const dataDir = newFolder('lb');
const log = { info: () => undefined, warn: (_: object, message: string) => say(`warning: ${message}`) };
const say = (text: string) => process.stdout.write(`${text}\n`);
const pools = ['198.51.100.32/28', '2001:db8:77::100/120'].map((range) => ({ range, interface: device }));
const external = new ExternalAddresses(pools, log);
const addresses = new LocalAddresses({ dataDir, log, external, inUse: () => provider.addresses() });
const provider = createLocalLoadBalancers({ dataDir, addresses, log, instanceId: 'test' });
say(`fault: ${external.fault()}`);
const web = pool({ members: [member(Number(memberPort))] });
const front = listener({ defaultPoolId: web.id });
const [vipAddress, six] = [external.free(4, () => false), external.free(6, () => false)];
const lb = loadBalancer({ vipAddress, extraAddresses: [six], listeners: [front], pools: [web] });
await provider.apply(lb, operation());
say(`serves ${vipAddress} ${six}`);
for await (const _ of process.stdin);
await provider.close('forget');
await addresses.claims.release();
say('ended');
