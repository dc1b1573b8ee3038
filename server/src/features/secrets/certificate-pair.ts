import { createPrivateKey, type KeyObject, type X509Certificate } from 'node:crypto';
import type { Faults } from '../../kernel/faults.ts';
import { authorityOf, readCertificates, subjectsOf } from './certificates.ts';
import type { Material } from './material.ts';
import { pemBlocks } from './pem.ts';
import type { SecretPayload } from './schema.ts';

/** Curves that every client of today speaks, with their bits. */
const CURVES: Readonly<Record<string, number>> = { prime256v1: 256, secp384r1: 384, secp521r1: 521 };
/** Below it TLS libraries refuse a key. */
const LEAST_RSA_BITS = 2048;
const KEY_RULE = `must be RSA of at least ${LEAST_RSA_BITS} bits, EC on P-256, P-384 or P-521, or Ed25519`;

/** A certificate with its private key, and the certificates that lead to its authority.
 *  The certificate may be followed by its chain, and the chain may begin with the certificate, as files made
 *  by common tools do.
 *  @throws Invalid naming every faulty field */
export function inspectPair(payload: SecretPayload, now: Date, faults: Faults): Material {
  const [first, ...following] = readCertificates(payload.certificate, 'certificate', now, faults);
  const given =
    payload.certificate_chain.trim() === ''
      ? []
      : readCertificates(payload.certificate_chain, 'certificate_chain', now, faults);
  const key = readKey(payload.private_key, faults);
  const leaf = first ?? faults.require<X509Certificate>(first);
  const strength = strengthOf(leaf.publicKey);
  if (!strength) faults.add('payload.certificate', `its key ${KEY_RULE}`);
  if (key && !leaf.checkPrivateKey(key))
    faults.add('payload.private_key', 'does not belong to the certificate');
  const chain = [...following, ...given].filter((each) => each.fingerprint256 !== leaf.fingerprint256);
  checkChain(leaf, chain, faults);
  const privateKey = faults.require(key);
  const ends = [leaf, ...chain].map(({ validTo }) => Date.parse(validTo));
  return {
    kind: 'certificate',
    ...faults.require(strength),
    names: subjectsOf([leaf, ...chain]),
    notAfter: new Date(Math.min(...ends)),
    content: {
      certificate: leaf.toString(),
      chain: chain.length === 0 ? null : chain.map(String).join(''),
      privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
      revocations: null,
    },
  };
}

function readKey(text: string, faults: Faults): KeyObject | undefined {
  const keys = pemBlocks(text).filter(({ label }) => label.endsWith('PRIVATE KEY'));
  const [only] = keys;
  if (!only || keys.length > 1) {
    faults.add('payload.private_key', 'must be one private key in PEM');
    return undefined;
  }
  if (only.label === 'ENCRYPTED PRIVATE KEY' || only.text.includes('Proc-Type: 4,ENCRYPTED')) {
    faults.add('payload.private_key', 'is protected by a passphrase; give it without one');
    return undefined;
  }
  try {
    return createPrivateKey(only.text);
  } catch {
    faults.add('payload.private_key', 'is not a private key in PEM that can be read');
    return undefined;
  }
}

/** Name and bits of a key's algorithm; undefined for one that TLS clients or servers refuse. */
function strengthOf(key: KeyObject): Pick<Material, 'algorithm' | 'bitLength'> | undefined {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return modulusLength < LEAST_RSA_BITS ? undefined : { algorithm: 'RSA', bitLength: modulusLength };
    case 'ec': {
      const bitLength = CURVES[namedCurve];
      return bitLength === undefined ? undefined : { algorithm: 'EC', bitLength };
    }
    case 'ed25519':
      return { algorithm: 'Ed25519', bitLength: 256 };
    default:
      return undefined;
  }
}

/** Each certificate must be followed by the one that issued it, which must be allowed to, as OpenSSL judges that. */
function checkChain(leaf: X509Certificate, chain: readonly X509Certificate[], faults: Faults): void {
  chain.forEach((issuer, index) => {
    const issued = index === 0 ? leaf : (chain[index - 1] ?? leaf);
    const what = index === 0 ? 'the certificate' : `certificate ${index}`;
    const add = (fault: string) =>
      faults.add('payload.certificate_chain', `certificate ${index + 1} ${fault}`);
    if (!issuedBy(issued, issuer)) {
      const elsewhere = chain.some((other) => other !== issued && issuedBy(issued, other));
      const order = elsewhere ? '; put them in order, each followed by the one that issued it' : '';
      add(`did not issue ${what}${order}`);
      return;
    }
    const { mayIssue, pathLength } = authorityOf(issuer);
    if (!mayIssue) add(`issued ${what}, but is not the certificate of an authority`);
    const between = chain.slice(0, index).filter((each) => each.subject !== each.issuer).length;
    if (between > pathLength)
      add(`may have ${pathLength} authorities between it and the certificate, but has ${between}`);
  });
}

function issuedBy(issued: X509Certificate, issuer: X509Certificate): boolean {
  return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}
