import type { Faults } from '../../kernel/faults.ts';
import { loadX509 } from '../../platform/x509/library.ts';
import { day, type Material } from './material.ts';
import { type PemBlock, pemBlocks } from './pem.ts';
import type { SecretPayload } from './schema.ts';

const LABEL = 'X509 CRL';

export const holdsRevocations = (text: string): boolean =>
  pemBlocks(text).some(({ label }) => label === LABEL);

/** Lists of revoked certificates (CRLs), one for each authority; none of them may be out of date, since nothing
 *  can be verified against one that is. */
export function inspectRevocations(payload: SecretPayload, now: Date, faults: Faults): Material {
  const fields = ['certificate', 'certificate_chain'] as const;
  const lists = fields.flatMap((field) =>
    pemBlocks(payload[field]).flatMap((block, index) => {
      const found = readList(block);
      if (!found) {
        faults.add(`payload.${field}`, `block ${index + 1} is not a revocation list in PEM that can be read`);
        return [];
      }
      const { end } = found;
      if (end !== null && end <= now)
        faults.add(`payload.${field}`, `list ${index + 1} has been out of date since ${day(end)}`);
      return [found];
    }),
  );
  faults.refuse();
  const ends = lists.flatMap(({ end }) => (end === null ? [] : [end.getTime()]));
  return {
    kind: 'revocations',
    algorithm: null,
    bitLength: null,
    names: lists.map(({ issuer }) => issuer),
    notAfter: ends.length === 0 ? null : new Date(Math.min(...ends)),
    content: {
      certificate: null,
      chain: null,
      privateKey: null,
      revocations: lists.map(({ text }) => text).join(''),
    },
  };
}

function readList({ label, text }: PemBlock) {
  if (label !== LABEL) return undefined;
  const x509 = loadX509();
  try {
    const list = new x509.X509Crl(text);
    return {
      issuer: list.issuer,
      end: list.nextUpdate ?? null,
      text: `${x509.PemConverter.encode(list.rawData, LABEL)}\n`,
    };
  } catch {
    return undefined;
  }
}
