import { createPrivateKey, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type {
  DesiredCertificate,
  DesiredListener,
  DesiredPool,
} from '../../../../features/load-balancers/port.ts';
import { TaskFailed } from '../../../../kernel/errors.ts';
import { identifier, quote } from '../../host/quoting.ts';
import type { RenderEnvironment, RenderedFile } from './rendering.ts';

/** A listener's certificates are named by their place, not by their id: then another certificate in
 *  the same place is a swap in the running process, without a reload. */
export function listenerCertificatePath(
  environment: RenderEnvironment,
  listenerId: string,
  index: number,
): string {
  return join(environment.certificateDirectory, `listener-${identifier(listenerId)}-${index}.pem`);
}

export function poolFilePath(
  environment: RenderEnvironment,
  poolId: string,
  kind: 'ca' | 'crl' | 'client',
): string {
  return join(environment.certificateDirectory, `pool-${identifier(poolId)}-${kind}.pem`);
}

/** Whether a listener ends TLS: the exporter of figures does when it is given a certificate. */
export function endsTls({ protocol, certificates }: DesiredListener): boolean {
  return protocol === 'TERMINATED_HTTPS' || (protocol === 'PROMETHEUS' && certificates.length > 0);
}

/** Whether any of its L7 rules is about the certificate of the client. */
function asksClients({ protocol, l7Policies }: DesiredListener): boolean {
  const types = l7Policies.flatMap(({ rules }) => rules.map(({ type }) => type));
  return protocol === 'TERMINATED_HTTPS' && types.some((type) => type.startsWith('SSL_'));
}

function clientAuthoritiesPath(environment: RenderEnvironment, listenerId: string): string {
  return join(environment.certificateDirectory, `listener-${identifier(listenerId)}-clients.pem`);
}

/** Words of a `bind` line that ask clients for a certificate, and refuse nobody for the answer. */
export function clientCertificateWords(environment: RenderEnvironment, listener: DesiredListener): string {
  if (!asksClients(listener)) return '';
  // HAProxy wants to measure against something. Without authorities it is the listener's own certificate, whose
  // name is not shown: clients would otherwise offer only what it has issued.
  const authorities =
    listener.clientAuthorities === null
      ? `ca-verify-file ${quote(listenerCertificatePath(environment, listener.id, 0))}`
      : `ca-file ${quote(clientAuthoritiesPath(environment, listener.id))}`;
  return ` verify optional crt-ignore-err all ca-ignore-err all ${authorities}`;
}

/** Certificate files that a listener needs that ends TLS. */
export function listenerFiles(environment: RenderEnvironment, listener: DesiredListener): RenderedFile[] {
  if (!endsTls(listener)) return [];
  const own = listener.certificates.map((certificate, index) => ({
    path: listenerCertificatePath(environment, listener.id, index),
    content: bundle(certificate),
    swappable: true,
  }));
  const { clientAuthorities } = listener;
  if (clientAuthorities === null || !asksClients(listener)) return own;
  const path = clientAuthoritiesPath(environment, listener.id);
  return [...own, { path, content: ended(clientAuthorities), swappable: false }];
}

/** Files for TLS towards the members of a pool. */
export function poolFiles(environment: RenderEnvironment, pool: DesiredPool): RenderedFile[] {
  if (!pool.tls) return [];
  const { caBundle, crl, clientCertificate } = pool.tls;
  const contents = {
    ca: caBundle === null ? null : ended(caBundle),
    crl: crl === null ? null : ended(crl),
    client: clientCertificate === null ? null : bundle(clientCertificate),
  };
  return (['ca', 'crl', 'client'] as const).flatMap((kind) => {
    const content = contents[kind];
    return content === null
      ? []
      : [{ path: poolFilePath(environment, pool.id, kind), content, swappable: false }];
  });
}

/** Certificate, chain and key in the one file that HAProxy reads.
 *  @throws TaskFailed when they are no PEM or do not belong together */
function bundle(certificate: DesiredCertificate): string {
  checkPair(certificate);
  const { certificate: leaf, chain, privateKey } = certificate;
  // An empty line would end the text early when it is sent through the runtime socket.
  return [leaf, ...(chain ? [chain] : []), privateKey]
    .map(ended)
    .join('')
    .replaceAll(/\n\s*\n+/g, '\n');
}

function checkPair({ id, certificate, privateKey }: DesiredCertificate): void {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(certificate);
  } catch {
    throw new TaskFailed(`Certificate ${id} is not a certificate in PEM`);
  }
  let matches: boolean;
  try {
    matches = leaf.checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    throw new TaskFailed(`The private key of certificate ${id} is not an unencrypted key in PEM`);
  }
  if (!matches) throw new TaskFailed(`The private key of certificate ${id} belongs to another certificate`);
}

function ended(pem: string): string {
  return `${pem.replaceAll('\r', '').trim()}\n`;
}
