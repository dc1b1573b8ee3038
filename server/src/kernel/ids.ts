import { randomBytes, randomUUID } from 'node:crypto';

/** Where identifiers and secrets come from; injected, so that tests can make them predictable. */
export interface Ids {
  /** A version 4 UUID. */
  uuid(): string;
  /** `bytes` of randomness as URL-safe text. */
  secret(bytes?: number): string;
}

export function randomIds(): Ids {
  return {
    uuid: () => randomUUID(),
    secret: (bytes = 32) => randomBytes(bytes).toString('base64url'),
  };
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isUuid = (text: string): boolean => UUID.test(text);
