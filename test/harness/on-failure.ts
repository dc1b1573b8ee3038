/** Each says what stood before a test when that failed, such as the page of a browser. */
export const witnesses = new Set<() => Promise<string>>();
