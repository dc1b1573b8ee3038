import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface GetOptions {
  readonly agent?: Agent;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  /** Where the request comes from. */
  readonly localAddress?: string;
}

/** One request; a failure to connect or a cut connection rejects. */
export function get(url: string, options: GetOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { agent = false, method = 'GET', headers = {}, localAddress } = options;
    const secure = url.startsWith('https:');
    const settings = {
      agent,
      method,
      headers,
      timeout: 5_000,
      ...(localAddress === undefined ? {} : { localAddress }),
      ...(secure ? { rejectUnauthorized: false } : {}),
    };
    const outgoing = (secure ? secureRequest : request)(url, settings, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      );
      response.on('error', reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.on('error', reject);
    outgoing.end();
  });
}

export interface Load {
  /** Ends the load. @returns what went wrong, and how many requests there were */
  stop(): Promise<{ failures: string[]; requests: number; bodies: ReadonlyMap<string, number> }>;
}

/** Clients that send requests one after the other until stopped: half of them over connections
 *  that they keep, half over a new one each time. */
export function startLoad(url: string, clients = 6): Load {
  const failures: string[] = [];
  const bodies = new Map<string, number>();
  let requests = 0;
  let running = true;
  const agents: Agent[] = [];
  const client = async (keepAlive: boolean) => {
    const Kind = url.startsWith('https:') ? SecureAgent : Agent;
    const agent = keepAlive ? new Kind({ keepAlive: true, maxSockets: 1 }) : undefined;
    if (agent) agents.push(agent);
    while (running) {
      requests += 1;
      try {
        const { status, body } = await get(url, agent ? { agent } : {});
        if (status === 200) bodies.set(body, (bodies.get(body) ?? 0) + 1);
        else failures.push(`status ${status}`);
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const all = Promise.all(Array.from({ length: clients }, (_, index) => client(index % 2 === 0)));
  return {
    stop: async () => {
      running = false;
      await all;
      for (const agent of agents) agent.destroy();
      return { failures, requests, bodies };
    },
  };
}
