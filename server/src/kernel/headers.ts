/** The first value of a header that may be given several times. */
export const firstOf = (header: string | readonly string[] | undefined): string | undefined =>
  typeof header === 'object' ? header[0] : header;
