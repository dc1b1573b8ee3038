import { useSyncExternalStore } from 'react';
import type { Schemas } from '../../../client/src/index.ts';

export type Role = Schemas['SessionInfo']['role'];

/** Who is signed in. `unknown` until the server has been asked. */
export type Session =
  | { readonly state: 'unknown' | 'out' }
  | {
      readonly state: 'in';
      readonly csrf: string;
      readonly email: string;
      readonly clientId: number;
      readonly role: Role;
      /** Nothing else can be done before a second factor is added. */
      readonly mustEnrol: boolean;
      /** What the person may do in single projects, where that is more. */
      readonly projectRoles: ReadonlyMap<number, Role>;
    };

let session: Session = { state: 'unknown' };
const listeners = new Set<() => void>();

export function setSession(next: Session): void {
  session = next;
  for (const listener of listeners) listener();
}

export const currentSession = (): Session => session;
export const csrfToken = (): string | undefined => (session.state === 'in' ? session.csrf : undefined);

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => session,
  );
}
