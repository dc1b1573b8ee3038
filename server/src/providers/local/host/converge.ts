/** How something is brought to what is desired. */
export interface Convergence<Observed, Step extends string> {
  /** What is there. */
  observe(): Observed | Promise<Observed>;
  /** What brings it nearer; null: it is as desired. Decides by what it gets alone. */
  next(observed: Observed): Step | null;
  readonly steps: Readonly<Record<Step, () => Promise<void>>>;
}

/** Looks, decides and acts, until nothing is left to do.
 *  @returns the steps that were taken
 *  @throws Error when one would have to be taken twice: it does not help */
export async function converge<Observed, Step extends string>({
  observe,
  next,
  steps,
}: Convergence<Observed, Step>): Promise<readonly Step[]> {
  const taken: Step[] = [];
  for (;;) {
    const step = next(await observe());
    if (step === null) return taken;
    if (taken.includes(step)) throw new Error(`"${step}" was done, and would have to be done again`);
    await steps[step]();
    taken.push(step);
  }
}
