import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startMailServer } from '../../harness/mail.ts';
import { API_KEY } from '../../harness/process.ts';
import { waitUntil } from '../../harness/wait.ts';
import { type OlderNode, startOlderNode, unpackLastRelease } from '../../upgrade/older-node.ts';
import { HERE, MACHINES } from '../lab.ts';
import type { Attempt, Entry } from './attempt.ts';

/** Entries about requests, what is sent to others, and the programs that do both. */

const KEYS = '/cloud/v1/ssh_keys/1';
const ACTIONS = '/cloud/v1/user_actions';

/** Reads on one node, one after the other, until it is over.
 *  @returns the status and id of each */
async function reading(url: string, over: AbortSignal): Promise<readonly { status: number; id: string }[]> {
  const answers: { status: number; id: string }[] = [];
  while (!over.aborted) {
    const answer = await fetch(url, { headers: { authorization: `APIKey ${API_KEY}` } });
    await answer.arrayBuffer();
    answers.push({ status: answer.status, id: answer.headers.get('x-request-id') ?? '' });
    await delay(50);
  }
  return answers;
}

/** While clients read: waits for the alerts of an entry.
 *  @param meanwhile what else is done, before the clients end */
async function whileReading(attempt: Attempt, url: string, meanwhile: () => Promise<void> = async () => {}) {
  const over = new AbortController();
  const all = Array.from({ length: 4 }, () => reading(url, over.signal));
  await attempt.alerts();
  await meanwhile();
  over.abort();
  return (await Promise.all(all)).flat();
}

/** A receiver of webhooks, which refuses until it is put right. */
interface Receiver {
  readonly url: string;
  readonly server: Server;
  got: number;
  refuses: boolean;
}

async function startReceiver(refuses: boolean): Promise<Receiver> {
  const server = createServer((request, response) => {
    request.resume();
    receiver.got += receiver.refuses ? 0 : 1;
    response.writeHead(receiver.refuses ? 500 : 204).end();
  });
  server.listen(0, HERE);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = { url: `http://${HERE}:${port}/`, server, got: 0, refuses };
  return receiver;
}

export const requestEntries: readonly Entry[] = [
  {
    heading: 'VirgaServerErrors',
    fault: 'somebody has renamed a table',
    alerts: ['VirgaServerErrors'],
    try: async (attempt) => {
      const { lab } = attempt;
      const [api] = lab.apis;
      const url = `${api?.url}${KEYS}`;
      await attempt.psql('alter table ssh_keys rename to ssh_keys_of_yesterday');
      const answers = await whileReading(attempt, url);
      const refused = answers.find(({ status }) => status === 500);
      const line = await waitUntil(
        () => api?.log.split('\n').find((each) => each.includes(refused?.id ?? 'none')),
        { what: 'its line in the log' },
      );
      const said = line.includes('"stack"') && line.includes('request refused') ? 'with' : 'without';
      await attempt.psql('alter table ssh_keys_of_yesterday rename to ssh_keys');
      await attempt.recovered('a read', async () => (await attempt.as.call('GET', KEYS)).status === 200);
      return `the log named a ${refused?.status} by its \`X-Request-ID\`, ${said} a stack; the table was given its name again`;
    },
  },
  {
    heading: 'VirgaSlowAnswers',
    fault: 'somebody locks a table for two seconds, again and again',
    alerts: ['VirgaSlowAnswers'],
    try: async (attempt) => {
      const { lab } = attempt;
      const [api] = lab.apis;
      const session = new pg.Client(lab.databaseUrl());
      await session.connect();
      const over = new AbortController();
      const locking = (async () => {
        while (!over.signal.aborted)
          await session.query('begin; lock table ssh_keys; select pg_sleep(2); commit');
      })();
      let named = 0;
      await whileReading(attempt, `${api?.url}${KEYS}`, async () => {
        const active = await attempt.psql(
          "select pid, now() - query_start, wait_event_type, left(query, 80) from pg_stat_activity where state = 'active' order by 2 desc",
        );
        named = active.filter((line) => line.includes('|Lock|')).length;
        over.abort();
      });
      await locking;
      await session.end();
      await attempt.recovered('a read', async () => (await attempt.as.call('GET', KEYS)).status === 200);
      return `the query named ${named} sessions that wait for a lock; who locked was ended`;
    },
  },
  {
    heading: 'VirgaEventLoopLags',
    fault: 'an API node gets the processor for a fifth of each second',
    alerts: ['VirgaEventLoopLags'],
    try: async (attempt) => {
      const { lab } = attempt;
      const pid = lab.apis[1]?.process?.pid ?? 0;
      const over = new AbortController();
      const starving = (async () => {
        while (!over.signal.aborted) {
          process.kill(pid, 'SIGSTOP');
          await delay(800);
          process.kill(pid, 'SIGCONT');
          await delay(200);
        }
      })();
      await attempt.alerts();
      const listed = (await lab.shell(['top', '-b', '-n', '1'])).split('\n').length;
      over.abort();
      await starving;
      await attempt.gone('VirgaEventLoopLags');
      return `\`top\` listed ${listed} lines; the node got the processor again`;
    },
  },
  {
    heading: 'VirgaMailWaits',
    fault: 'nobody listens where `SMTP_URL` says, and somebody is invited',
    alerts: ['VirgaMailWaits'],
    try: async (attempt) => {
      const { lab, as } = attempt;
      const { freePort: port } = lab;
      const replaceWorkers = async (env: Readonly<Record<string, string>>) => {
        for (const machine of MACHINES) {
          await lab.workers.get(machine)?.end('SIGTERM');
          await lab.startWorker(machine, env);
        }
      };
      await replaceWorkers({ SMTP_URL: `smtp://${HERE}:${port}` });
      const person = { email: `ann-${Date.now()}@virga.test`, client_id: 1, user_role: { name: 'Users' } };
      await as.call('POST', '/iam/clients/invite_user', person);
      await attempt.alerts();
      const waiting = async () => {
        const mails: readonly Mail[] = JSON.parse(await attempt.virga('mail list -o json'));
        return mails.filter(({ sent_at }) => sent_at === null);
      };
      const mails = await waiting();
      const said = mails.find(({ recipient }) => recipient === person.email)?.error ?? 'no reason';
      const server = await startMailServer(HERE);
      await replaceWorkers({ SMTP_URL: server.url });
      await attempt.recovered('the mail', async () => {
        return server.received.some(({ to }) => to.includes(person.email));
      });
      await attempt.gone('VirgaMailWaits');
      await server.close();
      await replaceWorkers({});
      return `\`mail list\` named ${mails.length} with \`${said}\`; the address was corrected, the workers were restarted, and it was sent`;
    },
  },
  {
    heading: 'VirgaWebhooksWait',
    fault: 'nine of ten receivers of user actions refuse everything',
    alerts: ['VirgaWebhooksWait'],
    try: async (attempt) => {
      const { as } = attempt;
      const receivers = await Promise.all(Array.from({ length: 10 }, (_, index) => startReceiver(index > 0)));
      const [good, ...bad] = receivers as [Receiver, ...Receiver[]];
      for (const { url } of receivers) {
        const body = { url, auth_header_name: 'x-secret', auth_header_value: 'trial' };
        await as.call('POST', `${ACTIONS}/subscribe`, body);
      }
      const calls = 125;
      for (let number = 0; number < calls; number++)
        await as.call('PUT', '/cloud/v1/projects/1', { name: `named-${number}` });
      await attempt.alerts();
      const listed = JSON.parse(
        await attempt.virga('webhook list-deliveries --state WAITING -o json'),
      ).length;
      await waitUntil(() => good.got >= calls, { what: 'the receiver that answers to have all' });
      const arrived = good.got;
      for (const receiver of bad) receiver.refuses = false;
      await attempt.gone('VirgaWebhooksWait');
      await as.call('POST', `${ACTIONS}/unsubscribe`);
      for (const { server } of receivers) {
        server.closeAllConnections();
        server.close();
      }
      await attempt.recovered('a change', () => attempt.works());
      return `\`list-deliveries\` named ${listed}; the receiver that answers had got all ${arrived}; the others were put right`;
    },
  },
  {
    heading: 'VirgaVersionsDiffer',
    fault: 'a node of the last release is left on a database that was upgraded',
    alerts: ['VirgaVersionsDiffer'],
    try: async (attempt) => {
      const { lab } = attempt;
      // The cloud of the trial was never of another version: this one was.
      const database = 'upgraded';
      await lab.primary.query(`create database ${database}`);
      const env = {
        DATABASE_URL: new URL(database, lab.databaseUrl()).href,
        VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        VIRGA_TIME_SCALE: '0',
        VIRGA_API_KEY: API_KEY,
        VIRGA_REGIONS: '',
      };
      const release = unpackLastRelease();
      let older: OlderNode | undefined;
      const port = lab.freePort;
      const newer = lab.node({ ...env, PORT: String(port) });
      try {
        older = await startOlderNode(release.program, { ...env, VIRGA_DATA_DIR: lab.dataDir('older') });
        await newer.start();
        // Prometheus shows both clouds the same token.
        const [hash] = await attempt.psql("select hash from api_tokens where role = 'operator'");
        await attempt.psql(`update api_tokens set hash = '${hash}' where role = 'operator'`, database);
        lab.prometheus.watch(newer.url);
        await attempt.alerts();
        await older.end();
        await attempt.gone('VirgaVersionsDiffer');
      } finally {
        lab.prometheus.forget(`http://127.0.0.1:${port}`);
        await older?.end();
        await newer.end('SIGTERM');
        release.remove();
      }
      return `a node of ${release.version} ran beside; the upgrade was finished, that is, it was ended`;
    },
  },
];

interface Mail {
  readonly recipient: string;
  readonly sent_at: string | null;
  readonly error: string | null;
}
