import createQueryClient from 'openapi-react-query';
import { useSyncExternalStore } from 'react';
import { apiCallsOf, createVirgaClient } from '../../../client/src/index.ts';
import { ask } from './client.ts';

/** The API as those who run the cloud use it: with their token, which this page alone holds and forgets. */

let token: string | undefined;
const listeners = new Set<() => void>();

export function setOperatorToken(next: string | undefined): void {
  token = next;
  for (const listener of listeners) listener();
}

export function useOperatorToken(): string | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => token,
  );
}

export const operatorClient = createVirgaClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    const response = await ask(new Request(request, { credentials: 'omit' }));
    if (response.status === 401) setOperatorToken(undefined);
    return response;
  },
});

operatorClient.use({
  onRequest({ request }) {
    if (token) request.headers.set('Authorization', `APIKey ${token}`);
  },
});

export const operatorApi = createQueryClient(operatorClient);
export const operatorCall = apiCallsOf(operatorClient);
