import path from 'node:path';

/** The folder that everything is in: seen from `server/src`, and from the bundle in `server/dist`. */
export const INSTALLATION = path.join(import.meta.dirname, '..', '..');
