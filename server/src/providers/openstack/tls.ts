import type {
  DesiredCertificate,
  DesiredListener,
  DesiredLoadBalancer,
  DesiredPool,
} from '../../features/load-balancers/port.ts';
import { digestOf } from './digest.ts';

/** What of a load balancer needs certificates, and how Octavia is told. */

/** What the key manager is to keep. */
export type TlsSecret = { readonly digest: string } & (
  | { readonly pem: string }
  | { readonly bundle: DesiredCertificate }
);

/** Where the key manager keeps what has a digest. */
export type SecretRefs = ReadonlyMap<string, string>;

const VERSIONS = ['TLSv1.2', 'TLSv1.3'];

const textOf = (pem: string): TlsSecret => ({ digest: digestOf({ pem }), pem });

function bundleOf(bundle: DesiredCertificate): TlsSecret {
  const { certificate, chain, privateKey } = bundle;
  return { digest: digestOf({ certificate, chain, privateKey }), bundle };
}

/** Whether a listener ends TLS: the exporter of figures does when it is given a certificate. */
export const endsTls = ({ protocol, certificates }: DesiredListener): boolean =>
  protocol === 'TERMINATED_HTTPS' || (protocol === 'PROMETHEUS' && certificates.length > 0);

/** Whether any of its rules is about the certificate of the client. */
export const asksClients = ({ l7Policies }: DesiredListener): boolean =>
  l7Policies.some(({ rules }) => rules.some(({ type }) => type.startsWith('SSL_')));

/** Each once. */
export function secretsOf({ listeners, pools }: DesiredLoadBalancer): readonly TlsSecret[] {
  const all = [...listeners.flatMap(ofListener), ...pools.flatMap(ofPool)];
  return [...new Map(all.map((each) => [each.digest, each])).values()];
}

function ofListener(listener: DesiredListener): readonly TlsSecret[] {
  if (!endsTls(listener)) return [];
  const { certificates, clientAuthorities } = listener;
  const asked = clientAuthorities !== null && asksClients(listener);
  return [...certificates.map(bundleOf), ...(asked ? [textOf(clientAuthorities)] : [])];
}

function ofPool({ tls }: DesiredPool): readonly TlsSecret[] {
  if (!tls) return [];
  const trusted = [tls.caBundle, tls.crl].filter((pem) => pem !== null);
  return [...trusted.map(textOf), ...(tls.clientCertificate ? [bundleOf(tls.clientCertificate)] : [])];
}

/** What a listener says of TLS; nothing where it does not end it. */
export function tlsOfListener(listener: DesiredListener, refs: SecretRefs | undefined): object {
  if (!refs || !endsTls(listener)) return {};
  const { certificates, clientAuthorities } = listener;
  const asked = clientAuthorities !== null && asksClients(listener);
  const [first = null, ...others] = new Set(certificates.map((each) => refOf(bundleOf(each), refs)));
  return {
    default_tls_container_ref: first,
    sni_container_refs: others,
    client_ca_tls_container_ref: asked ? refOf(textOf(clientAuthorities), refs) : null,
    client_authentication: asked ? 'OPTIONAL' : 'NONE',
    tls_versions: VERSIONS,
    alpn_protocols: ['h2', 'http/1.1'],
  };
}

/** What a pool says of TLS towards its members. */
export function tlsOfPool({ tls, memberHttpVersion }: DesiredPool, refs: SecretRefs | undefined): object {
  if (!refs) return {};
  const common = {
    tls_enabled: tls !== null,
    ca_tls_container_ref: tls?.caBundle ? refOf(textOf(tls.caBundle), refs) : null,
    crl_container_ref: tls?.crl ? refOf(textOf(tls.crl), refs) : null,
    tls_container_ref: tls?.clientCertificate ? refOf(bundleOf(tls.clientCertificate), refs) : null,
  };
  if (!tls) return common;
  const alpn = memberHttpVersion === '2' ? 'h2' : 'http/1.1';
  return Object.assign(common, { tls_versions: VERSIONS, alpn_protocols: [alpn] });
}

const refOf = ({ digest }: TlsSecret, refs: SecretRefs): string | null => refs.get(digest) ?? null;
