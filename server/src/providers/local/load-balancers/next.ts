import type { Rendering } from './config/rendering.ts';
import { type LiveChanges, planLiveChanges } from './live-changes.ts';
import type { SavedState } from './state.ts';

/** What is there of a load balancer. */
export interface Observed {
  /** As it was noted last. */
  readonly state: Pick<SavedState, 'changing' | 'needed' | 'logging' | 'skeleton' | 'files' | 'backends'>;
  /** Its HAProxy runs. */
  readonly isRunning: boolean;
  /** That HAProxy has the common account of version 0.3.0. */
  readonly isFormer: boolean;
  /** Its files say what is desired. */
  readonly isWritten: boolean;
}

export interface Desired {
  readonly rendering: Pick<Rendering, 'needed' | 'skeleton' | 'files' | 'backends'>;
  readonly logging: boolean;
  /** A new process is to take over, whatever else is desired. */
  readonly replaces: boolean;
}

export type Step =
  | { readonly kind: 'nothing' }
  /** Nothing is to be served. */
  | { readonly kind: 'end' }
  /** The running process is told what is different. */
  | { readonly kind: 'change'; readonly changes: LiveChanges }
  /** A new process serves the files; one that runs hands over to it. */
  | { readonly kind: 'reload' };

/** What brings a load balancer's HAProxy to what is desired. */
export function nextStep(observed: Observed, { rendering, logging, replaces }: Desired): Step {
  const { state, isRunning, isFormer, isWritten } = observed;
  const isSure = !state.changing && state.logging === logging && !replaces;
  const isServed = isWritten && state.needed === rendering.needed && (isRunning || !rendering.needed);
  if (isSure && isServed) return { kind: 'nothing' };
  if (!rendering.needed) return { kind: 'end' };
  const changes = isSure && isRunning && !isFormer ? planLiveChanges(state, rendering) : null;
  return changes ? { kind: 'change', changes } : { kind: 'reload' };
}
