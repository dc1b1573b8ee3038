import { redirect } from '@tanstack/react-router';
import { client, type Schemas } from '../api/client.ts';
import { csrfToken, currentSession, type Session, setSession } from '../api/session.ts';
import { forgetDrafts } from '../ui/drafts.tsx';

/** Lets only those in who are signed in; others go to the sign-in page, and come back from there. */
export async function requireSession({
  location,
}: {
  readonly location: { readonly href: string };
}): Promise<void> {
  if (currentSession().state === 'unknown') await readSessionOnce();
  const session = currentSession();
  const search = { to: location.href === '/' ? undefined : location.href };
  if (session.state !== 'in') throw redirect({ to: '/sign-in', search });
  if (session.mustEnrol) throw redirect({ to: '/second-factor', search });
}

let reading: Promise<void> | undefined;

/** Like `readSession`, but several at once ask once. */
export const readSessionOnce = (): Promise<void> => {
  reading ??= readSession().finally(() => {
    reading = undefined;
  });
  return reading;
};

/** Whether the browser has another session than the one that this page knew, which it knows from then on. */
export async function hasNewSession(): Promise<boolean> {
  const before = csrfToken();
  await readSessionOnce().catch(() => undefined);
  return csrfToken() !== before;
}

/** Asks the server who is signed in.
 *  @throws what the server said when it did not know; nobody is sent to sign in for that */
export async function readSession(): Promise<void> {
  const { data, error, response } = await client.GET('/virga/v1/session');
  if (error !== undefined && response.status !== 401) throw error;
  if (!data && currentSession().state === 'in') {
    // Whoever is on a page signs in again over it.
    const { sessionRenewed } = await import('./password-again.tsx');
    void sessionRenewed();
    return;
  }
  const before = currentSession();
  // What is shown is not for somebody else who has signed in from another tab.
  if (data && before.state === 'in' && before.email !== data.email) location.assign('/');
  const next: Session = data
    ? {
        state: 'in',
        csrf: data.csrf_token ?? '',
        email: data.email,
        clientId: data.client_id,
        role: data.role,
        mustEnrol: data.must_add_second_factor ?? false,
        // A node of the last release says nothing of it.
        projectRoles: new Map((data.project_roles ?? []).map((one) => [one.project_id, one.role])),
      }
    : { state: 'out' };
  // Read again, it is mostly what it was, and nothing is to be drawn anew.
  if (textOf(next) !== textOf(currentSession())) setSession(next);
}

const textOf = (session: Session) =>
  JSON.stringify(session, (_, value) => (value instanceof Map ? [...value] : value));

/** Opens a session. @returns what was wrong, or undefined */
export async function signIn(body: Schemas['OpenSession']): Promise<unknown> {
  const { error } = await client.POST('/virga/v1/session', { body });
  if (error) return error;
  await readSession();
  return undefined;
}

/** Ends the session on the server and here. */
export async function signOut(): Promise<void> {
  await client.DELETE('/virga/v1/session');
  forgetDrafts();
  setSession({ state: 'out' });
}
