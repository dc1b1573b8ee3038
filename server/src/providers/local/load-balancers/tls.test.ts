import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { newFolder } from '../../../../../test/harness/leftovers.ts';
import { shared } from '../../../../../test/harness/shared.ts';
import { waitUntil } from '../../../../../test/harness/wait.ts';
import { findProgram } from '../host/programs.ts';
import { sharedBackend } from './test-support/backend.ts';
import { fingerprint, makeCertificate, type TestCertificate } from './test-support/certificates.ts';
import { get, startLoad } from './test-support/client.ts';
import { listener, loadBalancer, member, monitor, pool } from './test-support/desired.ts';
import { startProvider } from './test-support/provider.ts';

const plain = sharedBackend('plain');
const site = shared(startProvider);

const desiredCertificate = (id: string, { certificate, privateKey }: TestCertificate) => ({
  id,
  certificate,
  chain: null,
  privateKey,
});

/** The fingerprint that a client sees who asks for this name. */
function presented(host: string, servername: string, port = 8443): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host, port, servername, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

test('a listener ends TLS, chooses its certificate by the name asked for, and swaps it without a reload', async () => {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const [main, other, renewed] = [
    makeCertificate(['a.test']),
    makeCertificate(['b.test']),
    makeCertificate(['a.test']),
  ];
  const web = pool({ members: [member(plain.port)] });
  const front = listener({
    protocol: 'TERMINATED_HTTPS',
    port: 8443,
    defaultPoolId: web.id,
    insertXForwarded: true,
    certificates: [desiredCertificate('main', main), desiredCertificate('other', other)],
  });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
  await site.apply(lb);
  expect(await presented(vipAddress, 'a.test')).toBe(fingerprint(main));
  expect(await presented(vipAddress, 'b.test')).toBe(fingerprint(other));
  expect(await presented(vipAddress, 'unknown.test')).toBe(fingerprint(main));
  const load = startLoad(`https://${vipAddress}:8443/`);
  const certificates = [desiredCertificate('renewed', renewed), desiredCertificate('other', other)];
  await site.apply({ ...lb, version: 2, listeners: [{ ...front, certificates }] });
  expect(await presented(vipAddress, 'a.test')).toBe(fingerprint(renewed));
  expect((await load.stop()).failures).toEqual([]);
  expect(plain.requests.at(-1)?.headers['x-forwarded-proto']).toBe('https');
  expect(plain.requests.at(-1)?.headers['x-forwarded-port']).toBe('8443');
});

test('a certificate whose change is cut off by a kill is served by the next server', async () => {
  const folder = newFolder('lb');
  chmodSync(folder, 0o755);
  const own = startProvider();
  const [old, renewed] = [makeCertificate(['a.test']), makeCertificate(['a.test'])];
  const certificatesOf = (certificate: TestCertificate) => ({
    certificates: [desiredCertificate('main', certificate)],
  });
  const front = listener({ protocol: 'TERMINATED_HTTPS', port: 8443, ...certificatesOf(old) });
  const vipAddress = await own.addresses.allocateAddress(new Set());
  const lb = loadBalancer({ vipAddress, listeners: [front] });
  const changed = { ...lb, version: 2, listeners: [{ ...front, ...certificatesOf(renewed) }] };
  const scope = join(own.dataDir, 'load-balancers', lb.id);
  // Checks a configuration for as long as the test wants, and then refuses it.
  const program = `#!/bin/sh
if [ "$1" = -c ]; then until [ -e ${folder}/go ]; do sleep 0.01; done; exit 1; fi
exec ${findProgram('haproxy')} "$@"
`;
  writeFileSync(join(folder, 'haproxy'), program, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  await own.apply(lb);
  const refused = expect(own.apply(changed)).rejects.toThrow('The configuration is not accepted');
  const files = [
    join(scope, 'state.json'),
    ...readdirSync(join(scope, 'certificates')).map((name) => join(scope, 'certificates', name)),
  ];
  const read = () => files.map((file) => readFileSync(file, 'utf8'));
  await waitUntil(() => read().some((text) => text.includes(renewed.certificate.trim())), {
    what: 'the renewed certificate on the disk',
  });
  const left = read();
  writeFileSync(join(folder, 'go'), '');
  await refused;
  vi.unstubAllEnvs();
  const next = own.restart();
  for (const [index, file] of files.entries()) writeFileSync(file, left[index] ?? '');
  await next.apply(changed);
  await waitUntil(async () => (await presented(vipAddress, 'a.test')) === fingerprint(renewed), {
    what: 'the renewed certificate',
  });
  await next.close();
  rmSync(folder, { recursive: true });
});

test('a certificate with the wrong key is refused in words, and what was served goes on', async () => {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const good = makeCertificate(['good.test']);
  const front = listener({
    protocol: 'TERMINATED_HTTPS',
    port: 8443,
    certificates: [desiredCertificate('good', good)],
  });
  const lb = loadBalancer({ vipAddress, listeners: [front] });
  await site.apply(lb);
  const mixed = { ...desiredCertificate('mixed', good), privateKey: makeCertificate(['x.test']).privateKey };
  const wrong = { ...lb, version: 2, listeners: [{ ...front, certificates: [mixed] }] };
  await expect(site.apply(wrong)).rejects.toThrow('private key of certificate mixed belongs to another');
  expect(await presented(vipAddress, 'good.test')).toBe(fingerprint(good));
});

test('members are spoken to in TLS, must chain to the given CA and are shown a client certificate', async () => {
  const authority = makeCertificate(['authority.test']);
  const own = makeCertificate(['member.test'], authority);
  const client = makeCertificate(['client.test'], authority);
  const seen: string[] = [];
  const secure: Server = createHttpsServer(
    { cert: own.certificate, key: own.privateKey, ca: authority.certificate, requestCert: true },
    (request, response) => {
      seen.push((request.socket as TLSSocket).getPeerCertificate().fingerprint256 ?? '');
      response.end('secure');
    },
  );
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const { port } = secure.address() as AddressInfo;
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const tls = {
    caBundle: authority.certificate,
    crl: null,
    clientCertificate: desiredCertificate('client', client),
  };
  const web = pool({ members: [member(port)], tls });
  const front = listener({ defaultPoolId: web.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
  await site.apply(lb);
  const answer = await get(`http://${vipAddress}:8080/`);
  expect(answer.body).toBe('secure');
  expect(seen.at(-1)).toBe(fingerprint(client));
  const stranger = { ...tls, caBundle: makeCertificate(['stranger.test']).certificate };
  await site.apply({ ...lb, version: 2, pools: [{ ...web, tls: stranger }] });
  expect((await get(`http://${vipAddress}:8080/`)).status).toBe(503);
  await new Promise((resolve) => secure.close(resolve));
});

test('an HTTPS listener passes TLS through untouched, and a TLS monitor checks by a handshake', async () => {
  const own = makeCertificate(['through.test']);
  const secure: Server = createHttpsServer({ cert: own.certificate, key: own.privateKey }, (_, response) => {
    response.end('through');
  });
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const { port } = secure.address() as AddressInfo;
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const good = member(port);
  const noTls = member(plain.port);
  const web = pool({
    protocol: 'HTTPS',
    members: [good, noTls],
    healthMonitor: monitor({ type: 'TLS-HELLO' }),
  });
  const front = listener({ protocol: 'HTTPS', port: 8443, defaultPoolId: web.id });
  const lb = loadBalancer({ vipAddress, listeners: [front], pools: [web] });
  await site.apply(lb);
  expect(await presented(vipAddress, 'through.test')).toBe(fingerprint(own));
  await expect
    .poll(async () => Object.fromEntries((await site.observe(lb.id)).members))
    .toEqual({ [good.id]: 'ONLINE', [noTls.id]: 'ERROR' });
  secure.closeAllConnections();
  await new Promise((resolve) => secure.close(resolve));
});

test('a cookie of ours is for TLS alone where it was given over TLS, and never for scripts', async () => {
  const vipAddress = await site.addresses.allocateAddress(new Set());
  const web = pool({
    members: [member(plain.port)],
    sessionPersistence: {
      type: 'HTTP_COOKIE',
      cookieName: 'lb.node+',
      persistenceTimeout: null,
      persistenceGranularity: null,
    },
  });
  const certificates = [desiredCertificate('cookie', makeCertificate(['a.test']))];
  const secure = listener({ protocol: 'TERMINATED_HTTPS', port: 8443, defaultPoolId: web.id, certificates });
  const open = listener({ port: 8080, defaultPoolId: web.id });
  await site.apply(loadBalancer({ vipAddress, listeners: [secure, open], pools: [web] }));
  const cookieOf = async (url: string) => (await get(url)).headers['set-cookie'];
  expect(await cookieOf(`https://${vipAddress}:8443/`)).toEqual([
    expect.stringMatching(/^lb\.node\+=[^;]+; path=\/; HttpOnly; Secure$/),
  ]);
  expect(await cookieOf(`http://${vipAddress}:8080/`)).toEqual([
    expect.stringMatching(/^lb\.node\+=[^;]+; path=\/; HttpOnly$/),
  ]);
});
