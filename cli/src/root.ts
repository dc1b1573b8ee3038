import path from 'node:path';

/** Of the clone, or of the package: this file is two folders below it, bundled or not. */
export const ROOT = path.resolve(import.meta.dirname, '..', '..');
