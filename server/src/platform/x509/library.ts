import { webcrypto } from 'node:crypto';
import './reflect-metadata.ts';

/** The certificate library, ready to use. */

// Not a static import: in the bundle those run before everything else, the line above included.
export const x509 = await import('@peculiar/x509');

// The two type declarations of Web Crypto differ; the object is the same.
x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
