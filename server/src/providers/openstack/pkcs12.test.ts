import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { makeCertificate } from '../../features/secrets/testing/certificates.ts';
import { pkcs12Of } from './pkcs12.ts';

test.each([
  ['an EC key', {}],
  ['an RSA key', { rsaBits: 2048 }],
])('a server is served from the bundle with %s, with its chain', async (_what, options) => {
  const root = await makeCertificate(['root.test'], { authority: true });
  const middle = await makeCertificate(['middle.test'], { authority: true, issuer: root });
  const site = await makeCertificate(['site.test'], { ...options, issuer: middle });
  const bundle = pkcs12Of({
    id: 'any',
    certificate: site.certificate,
    chain: `${middle.certificate}${root.certificate}`,
    privateKey: site.privateKey,
  });
  const server = createServer({ pfx: bundle, passphrase: '' }, (socket) => socket.end('served'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, servername: 'site.test', ca: root.certificate });
  const [said] = await once(socket, 'data');
  expect(String(said)).toBe('served');
  const shown = socket.getPeerX509Certificate();
  expect(shown?.fingerprint256).toBe(new X509Certificate(site.certificate).fingerprint256);
  socket.destroy();
  server.close();
});

test('what is not PEM is refused without a word of it', async () => {
  const { certificate } = await makeCertificate(['site.test']);
  const broken = { id: 'any', certificate, chain: null, privateKey: 'not a key' };
  expect(() => pkcs12Of(broken)).toThrow(expect.not.objectContaining({ message: /not a key/ }));
});
