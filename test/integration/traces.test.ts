import { writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { newFolder } from '../harness/leftovers.ts';
import { newDataDir, removeDataDir, startVirga, type VirgaProcess } from '../harness/process.ts';
import { waitUntil } from '../harness/wait.ts';

/** Traces of the real program, at a receiver of OTLP over HTTP. */

interface SpanSeen {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly of: Readonly<Record<string, unknown>>;
}

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Keeps everything that it gets. */
class Collector {
  readonly received: Received[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { url = '', headers } = request;
      this.received.push({ path: url, headers, body: Buffer.concat(chunks) });
      response.setHeader('content-type', headers['content-type'] ?? '').end();
    });
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  /** What came as JSON. */
  spans(): SpanSeen[] {
    return this.received.flatMap(({ body }) =>
      (JSON.parse(body.toString()) as Otlp).resourceSpans.flatMap((of) =>
        of.scopeSpans.flatMap(({ spans }) =>
          spans.map((span) => ({
            ...span,
            attributes: record(span.attributes),
            of: record(of.resource.attributes),
          })),
        ),
      ),
    );
  }
}

type Attributes = readonly { readonly key: string; readonly value: object }[];

/** What of OTLP in JSON is looked at. */
interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<SpanSeen, 'attributes' | 'of'> & { readonly attributes: Attributes })[];
    }[];
  }[];
}

const record = (list: Attributes): Readonly<Record<string, unknown>> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const LBS = '/cloud/v1/loadbalancers/1/2';
/** Says at the end how many of its files were loaded; those of its interface, which metrics need, do not count. */
const COUNT = `import { createRequire } from 'node:module';
  const { cache } = createRequire('/');
  const ours = () => Object.keys(cache).filter((file) => /@opentelemetry.(?!api.)/.test(file)).length;
  process.on('exit', () => console.log('files of OpenTelemetry: ' + ours()));`;
const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(COUNT)}`;

let database: TestDatabase;
let collector: Collector;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function start(env: Readonly<Record<string, string>>, ...args: string[]): Promise<VirgaProcess> {
  const dataDir = newDataDir();
  const virga = await startVirga({
    dataDir,
    args,
    env: {
      DATABASE_URL: database.url,
      VIRGA_TIME_SCALE: '0',
      NODE_OPTIONS,
      VIRGA_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
      ...env,
    },
  });
  onTestFinished(async () => {
    await virga.end('SIGKILL');
    removeDataDir(dataDir);
  });
  return virga;
}

async function newCollector(): Promise<void> {
  collector = new Collector();
  await collector.listen();
  onTestFinished(() => collector.close());
}

async function create(virga: VirgaProcess, name: string, headers: Readonly<Record<string, string>> = {}) {
  const task = await virga.ended(await virga.call('POST', LBS, { name }, headers));
  expect(task.error).toBeNull();
  return task.id;
}

test('one trace goes from the caller to the request, the task on another node and its provider', async () => {
  await newCollector();
  const file = path.join(newFolder('e2e'), 'headers');
  writeFileSync(file, 'x-tenant=cloud,authorization=Bearer%20of-the-collector\n');
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS_FILE: file,
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    VIRGA_TRUSTED_PROXIES: '127.0.0.1',
  };
  const api = await start(env, '--role', 'api');
  const worker = await start(
    { ...env, OTEL_SERVICE_NAME: 'cloud-worker', LOG_LEVEL: 'info' },
    '--role',
    'worker',
  );
  const id = await create(api, 'traced', { traceparent: `00-${TRACE}-${CALLER}-01`, 'x-request-id': 'mine' });
  const find = (what: string, is: (span: SpanSeen) => boolean) =>
    waitUntil(() => collector.spans().find(is), { what });
  const request = await find('the request', ({ name }) => name.startsWith('POST /cloud/v1/loadbalancers'));
  const task = await find('the task', ({ attributes }) => attributes['virga.task_id'] === id);
  const provider = await find('the provider', ({ name }) => name === 'loadBalancers.apply');
  expect([request, task, provider].map(({ traceId }) => traceId)).toEqual([TRACE, TRACE, TRACE]);
  expect(request.parentSpanId).toBe(CALLER);
  expect(task.parentSpanId).toBe(request.spanId);
  const runs = collector.spans().filter(({ name }) => name === 'task create_loadbalancer');
  expect(runs.map(({ spanId }) => spanId)).toContain(provider.parentSpanId);
  expect(request.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 200,
    'client.address': '127.0.0.1',
    'virga.request_id': 'mine',
  });
  expect(task.attributes).toMatchObject({ 'virga.request_id': 'mine', 'virga.region_id': 2 });
  const common = { 'deployment.environment.name': 'test' };
  expect(request.of).toMatchObject({ ...common, 'service.name': 'virga', 'virga.role': 'api' });
  expect(task.of).toMatchObject({ ...common, 'service.name': 'cloud-worker', 'virga.role': 'worker' });
  const line = await waitUntil(
    () =>
      worker
        .output()
        .split('\n')
        .find((each) => each.includes('task finished') && each.includes(id)),
    { what: 'the line of the task' },
  );
  expect(JSON.parse(line)).toMatchObject({
    requestId: 'mine',
    task: id,
    type: 'create_loadbalancer',
    role: 'worker',
    node: expect.any(String),
  });
  await api.call('GET', '/healthz');
  await api.call('GET', '/cloud/v1/projects');
  await find('a later request', ({ name }) => name === 'GET /cloud/v1/projects');
  expect(collector.spans().filter(({ name }) => name.includes('healthz'))).toEqual([]);
  const [first] = collector.received;
  expect(first?.path).toBe('/v1/traces');
  expect(first?.headers).toMatchObject({ 'x-tenant': 'cloud', authorization: 'Bearer of-the-collector' });
});

test('protobuf is the default, a stop sends what is waiting, and strangers name no trace', async () => {
  await newCollector();
  const virga = await start({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/of/its/own`,
    OTEL_BSP_SCHEDULE_DELAY: '600000',
  });
  await create(virga, 'at the end', { traceparent: `00-${TRACE}-${CALLER}-01` });
  expect(collector.received).toEqual([]);
  expect(await virga.end('SIGTERM')).toBe(0);
  const [first, ...more] = collector.received;
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    path: '/of/its/own',
    headers: { 'content-type': 'application/x-protobuf' },
  });
  expect(first?.body.includes('task create_loadbalancer')).toBe(true);
  expect(first?.body.includes(Buffer.from(TRACE, 'hex'))).toBe(false);
  expect(virga.output()).toMatch(/files of OpenTelemetry: [1-9]/);
});

test('without an endpoint, or switched off, what sends traces is not even loaded', async () => {
  await newCollector();
  const off = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SDK_DISABLED: 'true' };
  for (const env of [{}, off]) {
    const virga = await start(env);
    await create(virga, `untraced ${Object.keys(env).length}`);
    await virga.end('SIGTERM');
    // Of each process that had anything to do with the start.
    expect(virga.output()).toContain('files of OpenTelemetry: 0\n');
    expect(virga.output()).not.toMatch(/files of OpenTelemetry: [1-9]/);
  }
  expect(collector.received).toEqual([]);
});

test('a collector that is away holds nothing up, and is said once', async () => {
  const virga = await start({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const said = () => virga.output().split('traces could not be sent').length - 1;
  await create(virga, 'first');
  await waitUntil(() => said() > 0, { what: 'a word about the collector' });
  await create(virga, 'second');
  await virga.end('SIGTERM');
  expect(said()).toBe(1);
});
