import { useState } from 'react';
import { flushSync } from 'react-dom';
import { type ApiFault, faultOf } from '../api/client.ts';

/** What came of a call. */
export interface Answer<Data> {
  readonly data?: Data | undefined;
  readonly error?: unknown;
}

interface Submit {
  /** Whether a call is under way: nothing is to be sent twice. */
  readonly busy: boolean;
  /** Why the last call was refused. */
  readonly fault: ApiFault | undefined;
  /** Makes a call, and keeps why it was refused.
   *  @param accepted what follows when it was not, such as leaving the page: the form is busy until that has ended */
  readonly send: <Data>(
    call: () => Promise<Answer<Data>>,
    accepted?: (data: Data) => unknown,
  ) => Promise<Answer<Data>>;
  /** What was refused says nothing of what is there now. */
  readonly forget: () => void;
}

/** The one way in which forms send what they ask for. */
export function useSubmit(): Submit {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const send = async <Data>(
    call: () => Promise<Answer<Data>>,
    accepted?: (data: Data) => unknown,
  ): Promise<Answer<Data>> => {
    setBusy(true);
    const answer = await call().catch((thrown: unknown) => ({ data: undefined, error: thrown }));
    try {
      if (answer.error === undefined) await accepted?.(answer.data as Data);
    } finally {
      // At once, so that who sent it finds on the page what was refused.
      flushSync(() => {
        setBusy(false);
        setFault(answer.error === undefined ? undefined : faultOf(answer.error));
      });
    }
    return answer;
  };
  return { busy, fault, send, forget: () => setFault(undefined) };
}

/** Brings the reader to the first field that was refused, or to why it was where that is no field's. The button that
 *  had the focus has lost it while it could not be pressed. */
export function focusFault(form: HTMLElement | null): void {
  const fault = ['[aria-invalid=true]', '[role=alert]'].map((what) => form?.querySelector<HTMLElement>(what));
  fault.find((one) => one)?.focus();
}
