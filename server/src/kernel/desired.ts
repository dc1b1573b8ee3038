/** What something is to be at this moment. Undefined: a task works on it, or it is not to run. Null: there is no such
 *  thing any more, and what is left of it can go.
 *
 *  Whoever looks at many asks when the turn of each has come, and lets nobody change it from then on: what was read of
 *  all of them at once may have been changed, or deleted, while others were looked at. */
export type DesiredNow<Desired> = (id: string) => Promise<Desired | null | undefined>;
