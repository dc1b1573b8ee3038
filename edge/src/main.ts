import type { AddressInfo } from 'node:net';
import { FolderOrigin } from './folder-origin.ts';
import { createEdge } from './server.ts';
import { EdgeSettingsError, readEdgeSettings, type VideoSettings } from './settings.ts';
import { UpstreamOrigin } from './upstream-origin.ts';
import { UsageCounter } from './usage.ts';
import { UsageReporter } from './usage-report.ts';

const DRAIN_MS = 10_000;

/** Starts the edge of this process's environment and runs it until a signal, or until the server beside which it
 *  was started is gone. */
async function main(): Promise<void> {
  const settings = readEdgeSettings(process.env);
  const { edge } = settings;
  const usage = new UsageCounter();
  const origin =
    'folder' in edge.origin ? new FolderOrigin(edge.origin.folder) : new UpstreamOrigin(edge.origin.url);
  const log = (message: string, error: unknown) =>
    console.error(JSON.stringify({ time: new Date().toISOString(), msg: message, error: String(error) }));
  const server = createEdge({
    ...settings,
    ipBoundHost: new URL(settings.cdnIpUrl).hostname,
    trustedProxies: edge.trustedProxies,
    origin,
    usage,
    now: () => Date.now() / 1000,
    log,
  });
  const reporter = edge.report && new UsageReporter({ ...edge.report, usage, now: () => new Date(), log });
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
  reporter?.start();
  announce(server.address() as AddressInfo, settings);
}

function listening(server: ReturnType<typeof createEdge>, { host, port }: VideoSettings['edge']) {
  return new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => resolve());
  });
}

function announce({ address, family, port }: AddressInfo, { edge: { origin } }: VideoSettings): void {
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const from = 'folder' in origin ? origin.folder : origin.url;
  if (process.send) process.send({ listening: url });
  else console.log(`The edge serves ${from} at ${url} (pid ${process.pid}). Stop it with Ctrl-C.`);
}

function once(work: () => Promise<void>): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    work().catch(() => process.exit(1));
  };
}

main().catch((error: NodeJS.ErrnoException) => {
  const port = process.env.VIRGA_EDGE_PORT ?? '8090';
  if (error instanceof EdgeSettingsError) console.error(error.message);
  else if (error.code === 'EADDRINUSE') {
    console.error(
      `The edge's port ${port} is held by another program: stop it, or set VIRGA_EDGE_PORT or VIRGA_EDGE=off.`,
    );
  } else console.error(error);
  process.exit(1);
});
