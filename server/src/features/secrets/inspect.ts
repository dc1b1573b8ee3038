import { Invalid } from '../../kernel/errors.ts';
import { inspectPair } from './certificate-pair.ts';
import { inspectAuthorities } from './certificates.ts';
import { type Material, PayloadFaults } from './material.ts';
import { holdsRevocations, inspectRevocations } from './revocations.ts';
import type { SecretPayload } from './schema.ts';

/** Reads a payload: a certificate with its key and chain or, where there is no private key, certificates of
 *  authorities or revocation lists. Nothing of what it holds is in the faults.
 *  @throws Invalid naming every faulty field */
export function inspect(payload: SecretPayload, now: Date): Material {
  const faults = new PayloadFaults();
  const material = inspectorFor(payload)(payload, now, faults);
  if (!material || faults.any) throw new Invalid(faults.fields);
  return material;
}

function inspectorFor(payload: SecretPayload) {
  if (payload.private_key.trim() !== '') return inspectPair;
  return holdsRevocations(payload.certificate) ? inspectRevocations : inspectAuthorities;
}
