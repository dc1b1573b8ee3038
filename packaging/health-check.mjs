// @ts-check
// Whether the node of this container is ready, for its health check: the exit status says it.
import http from 'node:http';
import https from 'node:https';

const { PORT = '8080', VIRGA_ROLE, VIRGA_PROBE_PORT = '8081', VIRGA_TLS_CERT } = process.env;
const isWorker = VIRGA_ROLE === 'worker';
const isTls = VIRGA_TLS_CERT !== undefined && !isWorker;
const options = {
  host: '127.0.0.1',
  port: isWorker ? VIRGA_PROBE_PORT : PORT,
  path: '/readyz',
  timeout: 1500,
  // The certificate names the host that others know.
  rejectUnauthorized: false,
};
const request = (isTls ? https : http).get(options, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
});
request.on('timeout', () => request.destroy(new Error('no answer')));
request.on('error', () => process.exit(1));
