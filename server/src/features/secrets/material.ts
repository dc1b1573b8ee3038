/** What a secret may be good for. */
export type SecretKind = 'certificate' | 'authorities' | 'revocations';

/** What of a secret is kept encrypted; PEM texts. */
export interface SecretContent {
  /** The certificate, or those of authorities one after the other. */
  readonly certificate: string | null;
  /** From the one that issued the certificate upwards. */
  readonly chain: string | null;
  readonly privateKey: string | null;
  /** Revocation lists one after the other. */
  readonly revocations: string | null;
}

/** A payload that was found to be in order. */
export interface Material {
  readonly kind: SecretKind;
  readonly algorithm: string | null;
  readonly bitLength: number | null;
  /** Of authorities their subjects, of revocations their issuers, as RFC 4514 writes names. */
  readonly names: readonly string[];
  /** When it is good for nothing any more. */
  readonly notAfter: Date | null;
  readonly content: SecretContent;
}

export const day = (date: Date): string => date.toISOString().slice(0, 10);
