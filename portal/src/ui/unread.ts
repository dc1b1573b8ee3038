import { faultOf, wordsOf } from '../api/client.ts';

/** What a field says whose options could not be read. */
export const unread = ({ data, error }: { readonly data: unknown; readonly error: unknown }) =>
  error && data === undefined
    ? `What there is to choose could not be read. ${wordsOf(faultOf(error))}`
    : undefined;
