import { QueryClient } from '@tanstack/react-query';
import createQueryClient from 'openapi-react-query';
import { createVirgaClient, type Schemas } from '../../../client/src/index.ts';
import { noteAnswer } from './connection.ts';
import { csrfToken, signedOut } from './session.ts';

export type { Schemas };

/** The server could not be reached at all. */
class NoAnswer extends Error {
  constructor(options: ErrorOptions) {
    super('Virga does not answer. It is asked again by itself.', options);
  }
}

/** The API as the portal uses it: the session's cookie, and the token against forgery for writes. */
export const client = createVirgaClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    try {
      const response = await fetch(request);
      noteAnswer(response.status);
      if (response.status === 401) signedOut();
      return response;
    } catch (error) {
      // What this page gave up itself says nothing of the server.
      if (request.signal.aborted) throw error;
      noteAnswer(0);
      throw new NoAnswer({ cause: error });
    }
  },
});

client.use({
  onRequest({ request }) {
    const token = csrfToken();
    if (request.method !== 'GET' && token) request.headers.set('X-CSRF-Token', token);
  },
});

export const api = createQueryClient(client);

/** What a task touches is asked for anew when it changes; the rest is looked at every 30 s. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      refetchInterval: 30_000,
      retry: (failures, error) => failures < 2 && statusOf(error) === undefined,
      placeholderData: (previous: unknown) => previous,
    },
  },
});

/** An error of the API in the one form that the pages show, whichever of its bodies it came in. */
export interface ApiFault {
  readonly message: string;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export function faultOf(error: unknown): ApiFault {
  if (error instanceof NoAnswer) return { message: error.message, fields: {}, requestId: undefined };
  if (error instanceof Error) {
    return { message: `This page failed: ${error.message}`, fields: {}, requestId: undefined };
  }
  const body = isRecord(error) ? error : {};
  const text = body.message ?? body.detail ?? body.error ?? 'Something went wrong';
  return {
    message: String(text),
    fields: isRecord(body.invalid_fields) ? (body.invalid_fields as ApiFault['fields']) : problemFields(body),
    requestId: typeof body.request_id === 'string' ? body.request_id : undefined,
  };
}

function problemFields(body: Record<string, unknown>): ApiFault['fields'] {
  const fields: Record<string, string[]> = {};
  for (const item of Array.isArray(body.errors) ? body.errors : []) {
    if (!isRecord(item) || !Array.isArray(item.loc)) continue;
    const name = item.loc.slice(1).join('.');
    fields[name] = [...(fields[name] ?? []), String(item.detail)];
  }
  return fields;
}

function statusOf(error: unknown): number | undefined {
  return isRecord(error) && !(error instanceof Error) ? 400 : undefined;
}
