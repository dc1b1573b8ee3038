import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** Bytes of a master key: AES-256. */
export const KEY_BYTES = 32;
const ALGORITHM = 'aes-256-gcm';
/** Bytes; the length that NIST SP 800-38D recommends. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An encrypted value, and which key opens it. */
export interface Sealed {
  readonly keyId: string;
  /** Nonce, ciphertext, tag. */
  readonly box: Buffer;
}

/** A key for one purpose, and the id of the master key that it comes from. */
export interface DerivedKey {
  readonly id: string;
  readonly key: Buffer;
}

/** Names a key without revealing anything of it: the beginning of its SHA-256. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('virga master key').update(key).digest('hex').slice(0, 16);
}

/** Encrypts under the first key and opens under any of them, so that keys can be changed. */
export class Cipher {
  readonly #keys: ReadonlyMap<string, Buffer>;
  /** Id of the key that new values are encrypted under. */
  readonly currentKeyId: string;

  /** @param keys of 32 bytes each, the one to encrypt under first */
  constructor(keys: readonly Buffer[]) {
    const [first] = keys;
    if (!first) throw new Error('a cipher needs a key');
    if (keys.some((key) => key.length !== KEY_BYTES)) throw new Error(`a key has ${KEY_BYTES} bytes`);
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]));
    this.currentKeyId = keyIdOf(first);
  }

  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** @param context where the value belongs; the same is needed to open it, so that a value that is moved
   *  to another row does not open there */
  seal(plain: string, context: string): Sealed {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key(this.currentKeyId), nonce);
    cipher.setAAD(Buffer.from(context));
    const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return { keyId: this.currentKeyId, box: Buffer.concat([nonce, text, cipher.getAuthTag()]) };
  }

  /** @throws Error, without anything of the value, when the key is unknown or the value was changed */
  open({ keyId, box }: Sealed, context: string): string {
    const nonce = box.subarray(0, NONCE_BYTES);
    const tag = box.subarray(box.length - TAG_BYTES);
    const decipher = createDecipheriv(ALGORITHM, this.#key(keyId), nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(tag);
    const text = box.subarray(NONCE_BYTES, box.length - TAG_BYTES);
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8');
  }

  /** A key of its own for the purpose from each master key, the current one first. */
  keysFor(purpose: string): readonly DerivedKey[] {
    return [...this.#keys].map(([id, key]) => ({ id, key: derive(key, purpose) }));
  }

  /** HMAC-SHA-256 of the text under a key of its own for the purpose, derived from the current one. */
  sign(text: string, purpose: string): Buffer {
    return macOf(this.#key(this.currentKeyId), text, purpose);
  }

  /** Whether `sign` made this under any of the keys. */
  verify(text: string, purpose: string, signature: Buffer): boolean {
    return [...this.#keys.values()].some((key) => {
      const expected = macOf(key, text, purpose);
      return expected.length === signature.length && timingSafeEqual(expected, signature);
    });
  }

  #key(id: string): Buffer {
    const key = this.#keys.get(id);
    if (!key) throw new Error(`the master key ${id} is not among those configured`);
    return key;
  }
}

function macOf(key: Buffer, text: string, purpose: string): Buffer {
  return createHmac('sha256', derive(key, purpose)).update(text).digest();
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `virga ${purpose}`, KEY_BYTES));
}
