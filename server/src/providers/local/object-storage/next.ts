/** Whether a program runs: as it should, or as another release or setting has it. */
export type Running = 'none' | 'other' | 'current';

/** What is there of a storage. */
export interface Observed {
  readonly server: Running;
  readonly gateway: Running;
}

export type Step = 'end the server' | 'start the server' | 'start the gateway';

/** What brings the programs of a storage to serve. The gateway comes last: it lets clients in. */
export function nextStep({ server, gateway }: Observed): Step | null {
  if (server === 'other') return 'end the server';
  if (server === 'none') return 'start the server';
  return gateway === 'current' ? null : 'start the gateway';
}
