import made from '../package.json' with { type: 'json' };

/** Of this program. */
export const VERSION: string = made.version;
