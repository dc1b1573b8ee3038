/** What something is to be at this moment; undefined: it is not to run, or a task works on it.
 *
 *  Whoever looks at many asks when the turn of each has come, and lets nobody change it from then on: what was read of
 *  all of them at once may have been changed, or deleted, while others were looked at. */
export type DesiredNow<Desired> = (id: string) => Promise<Desired | undefined>;
