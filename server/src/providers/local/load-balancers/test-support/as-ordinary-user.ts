import { allPids, commandLine } from '../../../../kernel/processes.ts';
import { get } from './client.ts';
import { listener, loadBalancer, member, pool } from './desired.ts';
import { startProvider } from './provider.ts';

/** Run as a process of its own, by an unprivileged user: serves a high port, then wants a low one.
 *  Arguments: data directory, port of a member. */
const [dataDir = '', memberPort = ''] = process.argv.slice(2);
const site = startProvider(dataDir);
const vipAddress = await site.addresses.allocateAddress(new Set());
const web = pool({ members: [member(Number(memberPort))] });
const front = listener({ defaultPoolId: web.id });
const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
const say = (text: string) => process.stdout.write(`${text}\n`);
say(`IPv6: ${await site.addresses.ipv6Fault('fd76:6972:6761:1::/64')}`);
try {
  await site.apply(lb);
  say(`high port: ${(await get(`http://${vipAddress}:8080/`)).body}`);
  const dns = listener({ protocol: 'UDP', port: 5353 });
  await site.apply({ ...lb, version: 2, listeners: [front, dns] });
  say('UDP: served');
  await site.apply({ ...lb, version: 3, listeners: [{ ...front, port: 80 }] });
  say('low port: served');
} catch (error) {
  say(`low port: ${error instanceof Error ? error.message : error}`);
}
await site.provider.close('forget');
await site.addresses.claims.release();
say(`left behind: ${allPids().filter((pid) => commandLine(pid).join(' ').includes(`-f ${dataDir}`)).length}`);
