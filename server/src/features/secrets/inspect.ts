import { Faults } from '../../kernel/faults.ts';
import { inspectPair } from './certificate-pair.ts';
import { inspectAuthorities } from './certificates.ts';
import type { Material } from './material.ts';
import { holdsRevocations, inspectRevocations } from './revocations.ts';
import type { SecretPayload } from './schema.ts';

/** Reads a payload: a certificate with its key and chain or, where there is no private key, certificates of
 *  authorities or revocation lists. Nothing of what it holds is in the faults.
 *  @throws Invalid naming every faulty field */
export function inspect(payload: SecretPayload, now: Date): Material {
  return inspectorFor(payload)(payload, now, new Faults());
}

function inspectorFor(payload: SecretPayload) {
  if (payload.private_key.trim() !== '') return inspectPair;
  return holdsRevocations(payload.certificate) ? inspectRevocations : inspectAuthorities;
}
