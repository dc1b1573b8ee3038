import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { makeCertificate } from '../../../server/src/features/secrets/testing/certificates.ts';
import { waitUntil } from '../../harness/wait.ts';
import type { Attempt, Entry } from './attempt.ts';

/** Entries about the database, nodes and what stands before them. */

export const POSTGRES_DISK = 'postgres-disk';
const DAY_MS = 86_400_000;

/** A node whose certificate ends too early, until its files are replaced. */
async function replaceCertificate(attempt: Attempt, days: number, alert: string): Promise<void> {
  const { lab } = attempt;
  const [cert = '', key = ''] = ['api.pem', 'api.key'].map((name) => path.join(lab.folder, name));
  const make = async (lastsDays: number) => {
    const notAfter = new Date(Date.now() + lastsDays * DAY_MS);
    const { certificate, privateKey } = await makeCertificate(['127.0.0.1'], { notAfter });
    writeFileSync(key, privateKey, { mode: 0o600 });
    writeFileSync(cert, certificate);
  };
  await make(days);
  const node = lab.node({ PORT: '0', VIRGA_TLS_CERT: cert, VIRGA_TLS_KEY: key });
  await node.start();
  lab.prometheus.watch(node.url);
  await attempt.alerts();
  await make(365);
  await attempt.gone(alert);
  lab.prometheus.forget(node.url);
  await node.end('SIGTERM');
}

export const platformEntries: readonly Entry[] = [
  {
    heading: 'The proxy in front of Virga is gone',
    fault: 'the proxy is killed',
    alerts: [],
    try: async (attempt) => {
      const { lab } = attempt;
      await lab.proxy.end('SIGKILL');
      const [api] = lab.apis;
      const direct = await fetch(`${api?.url}/healthz`);
      await lab.proxy.start();
      await attempt.recovered('the API behind the proxy', () => attempt.works());
      return `a node that was asked directly answered ${direct.status}; the proxy was started again`;
    },
  },
  {
    heading: 'PostgreSQL is down',
    fault: 'PostgreSQL is killed',
    alerts: ['VirgaDatabaseLost'],
    try: async (attempt) => {
      const { lab } = attempt;
      await lab.primary.end('SIGKILL');
      await attempt.alerts();
      const seen = await attempt.psql('select pg_is_in_recovery()').then(
        ([text]) => `said \`${text}\``,
        () => 'had no answer',
      );
      await lab.primary.start();
      await attempt.recovered('a change', () => attempt.works());
      return `\`select pg_is_in_recovery()\` ${seen}; PostgreSQL was started again, and no node`;
    },
  },
  {
    heading: 'VirgaDatabaseDiskFull',
    fault: 'the disk of PostgreSQL is full',
    alerts: ['VirgaDatabaseDiskFull'],
    try: async (attempt) => {
      const { lab } = attempt;
      const ballast = path.join(lab.folder, POSTGRES_DISK, 'ballast');
      // In a process of its own: the members of load balancers are in this one, and have to answer meanwhile.
      await lab.shell(['sh', '-c', 'dd if=/dev/zero of="$0" bs=64k 2>/dev/null; true', ballast]);
      let number = 0;
      const create = () =>
        lab.apis[0]?.process?.call('POST', '/cloud/v1/projects', { name: `nobody-${number++}` });
      const refused = await waitUntil(
        async () => {
          const answer = await create();
          return answer?.body.message?.includes('disk of the database is full') && answer;
        },
        { what: 'a refusal', intervalMs: 1 },
      );
      // Clients go on.
      const creating = setInterval(() => void create()?.catch(() => undefined), 250);
      await attempt.alerts();
      clearInterval(creating);
      const slots = await attempt
        .psql(
          'select slot_name, active, pg_size_pretty(pg_current_wal_lsn() - restart_lsn) from pg_replication_slots',
        )
        .then(
          (lines) => `named ${lines.length} slots`,
          () => 'had no answer',
        );
      rmSync(ballast);
      const isUp = await lab.primary.query('select 1').then(
        () => true,
        () => false,
      );
      if (!isUp) await lab.primary.start();
      await attempt.recovered('a change', () => attempt.works());
      const done = isUp ? 'room was made' : 'room was made, and PostgreSQL started again';
      return `a change was a ${refused.status}; the query of slots ${slots}; ${done}`;
    },
  },
  {
    heading: 'PostgreSQL is slow',
    fault: 'somebody’s session holds a lock on the tasks',
    alerts: ['VirgaConnectionsExhausted'],
    try: async (attempt) => {
      const { lab } = attempt;
      const session = new pg.Client(lab.databaseUrl());
      session.on('error', () => undefined);
      await session.connect();
      await session.query('begin');
      await session.query('lock table tasks in access exclusive mode');
      const waiting = lab.apis.flatMap(({ process: node }) =>
        Array.from({ length: 60 }, () => node?.call('GET', '/cloud/v1/tasks?limit=1').catch(() => undefined)),
      );
      await attempt.alerts();
      const active = await attempt.psql(
        "select pid, now() - query_start, wait_event_type, left(query, 80) from pg_stat_activity where state = 'active' order by 2 desc",
      );
      const locked = active.filter((line) => line.includes('|Lock|')).length;
      const blocking = await attempt.psql(
        'select pid, state, left(query, 80) from pg_stat_activity where pid in (select unnest(pg_blocking_pids(pid)) from pg_stat_activity) order by xact_start',
      );
      const own = blocking
        .filter((line) => line.includes('|idle in transaction|'))
        .map((line) => Number(line.split('|')[0]));
      for (const pid of own) await attempt.psql(`select pg_terminate_backend(${pid})`);
      await attempt.recovered('a change', () => attempt.works());
      await Promise.all(waiting);
      await session.end().catch(() => undefined);
      return `the queries named ${locked} sessions that wait for a lock, and the ${own.length} that holds it, which was ended`;
    },
  },
  {
    heading: 'VirgaCertificateExpired',
    fault: 'the certificate of a node has expired',
    alerts: ['VirgaCertificateExpired'],
    try: async (attempt) => {
      const listed: readonly unknown[] = JSON.parse(await attempt.virga('client list-resources 1 -o json'));
      await replaceCertificate(attempt, -1, 'VirgaCertificateExpired');
      return `the files were replaced, and read again without a restart; \`client list-resources\` named ${listed.length}`;
    },
  },
  {
    heading: 'VirgaCertificateExpires',
    fault: 'the certificate of a node expires in ten days',
    alerts: ['VirgaCertificateExpires'],
    try: async (attempt) => {
      await replaceCertificate(attempt, 10, 'VirgaCertificateExpires');
      return 'the files were replaced, and read again without a restart';
    },
  },
  {
    heading: 'A node is lost for good',
    fault: 'an API node is killed, and stays away',
    alerts: ['VirgaNodeDown'],
    try: async (attempt) => {
      const { lab } = attempt;
      const [, node] = lab.apis;
      await node?.end('SIGKILL');
      await attempt.alerts();
      interface Listed {
        readonly alive: boolean;
      }
      const silent = await waitUntil(
        async () => {
          const all: readonly Listed[] = JSON.parse(await attempt.virga('node list -o json'));
          return all.filter(({ alive }) => !alive).length || undefined;
        },
        { what: 'the node to be silent' },
      );
      const meanwhile = (await attempt.works()) ? 'went through' : 'failed';
      await node?.start();
      await attempt.gone('VirgaNodeDown');
      return `\`node list\` named ${silent} that is silent; changes ${meanwhile} without it; it was started anew`;
    },
  },
  {
    heading: 'VirgaClockOff',
    fault: 'the clock of a node is two minutes ahead',
    alerts: ['VirgaClockOff'],
    try: async (attempt) => {
      const { lab } = attempt;
      const port = lab.freePort;
      const node = lab.node({ PORT: String(port) }, ['faketime', '-f', '+120s']);
      await node.start();
      const { url } = node;
      lab.prometheus.watch(url);
      await attempt.alerts();
      const ready = await fetch(`${url}/readyz`);
      const said = (await ready.text()).includes('NTP') ? ' and said to keep it right with NTP' : '';
      await lab.killListener(port);
      // What is not the machine's clock here cannot be set without another start.
      const right = lab.node({ PORT: String(port) });
      await right.start();
      await attempt.gone('VirgaClockOff');
      lab.prometheus.forget(url);
      await right.end('SIGTERM');
      return `readiness was ${ready.status}${said}; the clock was set`;
    },
  },
  {
    heading: 'VirgaLogLost',
    fault: 'the disk of a node’s log is full',
    alerts: ['VirgaLogLost'],
    try: async (attempt) => {
      const { lab } = attempt;
      const port = lab.freePort;
      const url = `http://127.0.0.1:${port}`;
      const toFullDisk = ['sh', '-c', 'exec "$@" > /dev/full 2>&1', 'sh'];
      const node = lab.node({ PORT: String(port), LOG_LEVEL: 'debug', VIRGA_ACCESS_LOG: 'on' }, toFullDisk);
      // Nobody can read that it serves.
      void node.start().catch(() => undefined);
      await waitUntil(() => fetch(`${url}/readyz`), { what: 'the node to answer' });
      lab.prometheus.watch(url);
      const asking = setInterval(() => void fetch(`${url}/cloud/v1/projects`).catch(() => undefined), 50);
      await attempt.alerts();
      const { status } = await fetch(`${url}/readyz`);
      clearInterval(asking);
      lab.prometheus.forget(url);
      await lab.killListener(port);
      const right = lab.node({ PORT: String(port) });
      await right.start();
      await attempt.recovered('the node to be ready', async () => (await fetch(`${url}/readyz`)).ok);
      await right.end('SIGTERM');
      return `it was ready all the while (${status}); its log was given another disk`;
    },
  },
];
