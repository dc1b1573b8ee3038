/** What is there of a program of a cluster: its control plane, or a node. */
export interface Observed {
  /** The version that runs; null: nothing does. */
  readonly running: string | null;
  /** What it was started with. */
  readonly words: string;
}

export interface Desired {
  readonly version: string;
  readonly words: string;
}

export type Step = 'start' | 'stop';

/** What brings a program to run in this version, with these words. */
export function nextStep(desired: Desired, { running, words }: Observed): Step | null {
  if (running === null) return 'start';
  return running === desired.version && words === desired.words ? null : 'stop';
}
