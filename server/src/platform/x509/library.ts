import { webcrypto } from 'node:crypto';
import { createRequire } from 'node:module';

type Library = typeof import('@peculiar/x509');

const require = createRequire(import.meta.url);
let library: Library | undefined;

/** The certificate library, loaded when it is needed for the first time: it takes memory that a server without
 *  clusters and certificates can do without. It finds its algorithms through decorated classes, for which
 *  `Reflect` must be able to keep metadata before. */
export function loadX509(): Library {
  if (!library) {
    require('reflect-metadata');
    library = require('@peculiar/x509') as Library;
    // The two type declarations of Web Crypto differ; the object is the same.
    library.cryptoProvider.set(webcrypto as unknown as Parameters<Library['cryptoProvider']['set']>[0]);
  }
  return library;
}
