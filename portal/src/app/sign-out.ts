import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../api/client.ts';
import { signOut } from './session.ts';

/** Ends the session, forgets what was read in it, and leads to the door. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    await signOut();
    queryClient.clear();
    await navigate({ to: '/sign-in' });
  };
}
