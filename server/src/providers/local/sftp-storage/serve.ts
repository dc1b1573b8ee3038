import { chmodSync, openSync, readFileSync } from 'node:fs';
import type { Orders } from './orders.ts';
import { Counter } from './serving/counter.ts';
import { Gate } from './serving/gate.ts';
import { readOrMakeKey } from './serving/host-key.ts';
import { SftpServer } from './serving/server.ts';

/** The server of one SFTP storage, a program of its own: `serve.js ORDERS`. What it must read as root it reads first;
 *  before anybody can reach it, it is an account that may do nothing special. */

const orders = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Orders;
const hostKey = readOrMakeKey(orders.hostKey);
const traffic = openSync(orders.traffic, 'a');
const seen = openSync(orders.seen, 'r+');
becomeNobody(orders);

const gate = new Gate(orders.access, seen);
const counter = new Counter(traffic);
const server = new SftpServer({ ...orders, hostKey, gate, counter });

process.on('SIGHUP', () => gate.look());
process.on('SIGTERM', () => {
  void server.close().then(() => {
    counter.flush();
    process.exit(0);
  });
});
server.listen();

function becomeNobody({ account, data }: Orders): void {
  if (account) {
    process.setgroups?.([]);
    process.setgid?.(account.gid);
    process.setuid?.(account.uid);
  }
  process.umask(0o077);
  // Says at once whether the folder can be used.
  chmodSync(data, 0o700);
}
