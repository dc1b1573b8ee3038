// Loaded into a server before anything else: measures how long its event loop is blocked, and what it keeps in
// memory. It is asked over a socket of its own, in the process that it measures.
import http from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { VIRGA_TEST_METER: socket } = process.env;
const RESOLUTION_MS = 1;

if (socket && /\bstart\.mjs$/.test(process.argv[1] ?? '')) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  const kept = () => {
    collect();
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const server = http.createServer(({ url }, response) => {
    const answer = url === '/memory' ? kept() : delays.max / 1e6 - RESOLUTION_MS;
    response.end(JSON.stringify(answer));
    // Not before this turn of the loop has ended, which a collection makes a long one.
    setImmediate(() => delays.reset());
  });
  server.listen(socket);
  server.unref();
}
