import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Bucket } from './bucket.ts';
import { BucketOrigin } from './bucket-origin.ts';
import { FolderOrigin } from './folder-origin.ts';
import type { Origin } from './origin.ts';
import { dropPrivileges, HeldFolder, prepareJournal } from './privileges.ts';
import { createEdge } from './server.ts';
import { type EdgeSettings, EdgeSettingsError, readEdgeSettings, type VideoSettings } from './settings.ts';
import { UpstreamOrigin } from './upstream-origin.ts';
import { UsageCounter } from './usage.ts';
import { UsageJournal } from './usage-journal.ts';
import { UsageReporter } from './usage-report.ts';

const DRAIN_MS = 10_000;

type Log = (message: string, error: unknown) => void;

/** Starts the edge of this process's environment and runs it until a signal, or until the server beside which it
 *  was started is gone. */
async function main(): Promise<void> {
  const settings = readEdgeSettings({ ...process.env, ...(await settingsOfServer()) });
  const { edge } = settings;
  const usage = new UsageCounter();
  const folder = 'folder' in edge.origin ? new HeldFolder(edge.origin.folder) : undefined;
  const log: Log = (message, error) =>
    console.error(JSON.stringify({ time: new Date().toISOString(), msg: message, error: String(error) }));
  const origin = await originOf(edge.origin, () => folder?.path ?? '', log);
  const server = createEdge({
    ...settings,
    ipBoundHost: new URL(settings.cdnIpUrl).hostname,
    trustedProxies: edge.trustedProxies,
    origin,
    usage,
    now: () => Date.now() / 1000,
    log,
  });
  const reporter = edge.report && newReporter(settings, usage, log);
  const stop = once(async () => {
    const timer = setTimeout(() => process.exit(1), DRAIN_MS);
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await closed;
    origin.close();
    await reporter?.stop();
    clearTimeout(timer);
    process.exit(0);
  });
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  // Set by the server that starts an edge beside itself; without it nobody would ever stop this process.
  process.on('disconnect', stop);
  await listening(server, edge);
  // A port below 1024 is open by now, and nobody was answered yet.
  dropPrivileges();
  if (folder?.isReadable === false)
    log('the account nobody, which the edge has become, may not read this folder', folder.path);
  reporter?.start();
  announce(server.address() as AddressInfo, settings);
}

/** @throws EdgeSettingsError when the bucket says that it cannot be read like this */
async function originOf(
  origin: VideoSettings['edge']['origin'],
  folder: () => string,
  log: Log,
): Promise<Origin> {
  if ('folder' in origin) return new FolderOrigin(folder);
  if ('url' in origin) return new UpstreamOrigin(origin.url);
  const bucket = new Bucket(origin);
  // A server that does not answer yet is asked again with each request.
  const refusal = await bucket.check().catch((error: unknown) => {
    log('the S3 server cannot be reached yet', error);
    return undefined;
  });
  if (refusal?.isSetting) throw new EdgeSettingsError(`The edge's bucket cannot be read: ${refusal.reason}.`);
  if (refusal) log('the bucket cannot be read yet', refusal.reason);
  return new BucketOrigin({ bucket, cacheBytes: origin.cacheBytes, log });
}

/** What a server says to the edge that it starts: secrets, which everybody could read in an environment. */
async function settingsOfServer(): Promise<Record<string, string>> {
  if (!process.send) return {};
  return new Promise((resolve) => process.once('message', resolve));
}

/** Its journal has the port in its name: several edges may share a data directory. */
function newReporter(
  { dataDir, edge }: EdgeSettings,
  usage: UsageCounter,
  log: Log,
): UsageReporter | undefined {
  const folder = prepareJournal(dataDir, edge.port);
  const journal = new UsageJournal(() => path.join(folder.path, `usage-${edge.port}`));
  return edge.report && new UsageReporter({ ...edge.report, usage, journal, now: () => new Date(), log });
}

function listening(server: ReturnType<typeof createEdge>, { host, port }: VideoSettings['edge']) {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  });
}

function announce({ address, family, port }: AddressInfo, { edge: { origin } }: VideoSettings): void {
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const from = nameOf(origin);
  if (process.send) process.send({ listening: url });
  else console.log(`The edge serves ${from} at ${url} (pid ${process.pid}). Stop it with Ctrl-C.`);
}

function nameOf(origin: VideoSettings['edge']['origin']): string {
  if ('folder' in origin) return origin.folder;
  return 'url' in origin ? origin.url : `s3://${[origin.bucket, origin.prefix].filter(Boolean).join('/')}`;
}

function once(work: () => Promise<void>): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    work().catch(() => process.exit(1));
  };
}

/** One line for the person who starts it. */
function explanation(error: NodeJS.ErrnoException): string | undefined {
  const port = process.env.VIRGA_EDGE_PORT ?? '8090';
  if (error instanceof EdgeSettingsError) return error.message;
  if (error.code === 'EADDRINUSE')
    return `The edge's port ${port} is held by another program: stop it, or set VIRGA_EDGE_PORT or VIRGA_EDGE=off.`;
  if (error.code === 'EACCES')
    return `The edge's port ${port} may not be opened by this user: set VIRGA_EDGE_PORT.`;
  if (error.code === 'EADDRNOTAVAIL')
    return `VIRGA_EDGE_HOST=${process.env.VIRGA_EDGE_HOST} is not an address of this machine.`;
  return undefined;
}

main().catch((error: NodeJS.ErrnoException) => {
  const text = explanation(error);
  // A server that started this says it once, however often it tries.
  if (process.send && text) process.send({ failed: text }, () => process.exit(1));
  else {
    console.error(text ?? error);
    process.exit(1);
  }
});
