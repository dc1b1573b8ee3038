import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { components, paths } from './schema.gen.ts';

export { type ApiCall, type ApiCalls, apiCallsOf, type CallRole, leastRole, needsOf } from './calls.ts';

export {
  createClient,
  type ListPath,
  type PlainCall,
  type StreamEvent,
  type VirgaClient,
  type VirgaClientOptions,
} from './create-client.ts';
export { type Failure, type Task, VirgaError } from './errors.ts';
export type { FaultyFields } from './fields.ts';
export type { RetryOptions, Sleep } from './retries.ts';
export type { WaitOptions } from './tasks.ts';

export type { components, paths };

/** The shapes of the API by their names in its document. */
export type Schemas = components['schemas'];

/** A typed client of Virga's API: `client.GET('/cloud/v1/projects')` answers `{data}` or `{error}`, never throws
 *  for a refusal. `fetch` and headers can be given; so can the address, which else is that of the page. */
export function createVirgaClient(options: ClientOptions = {}): Client<paths> {
  return createClient<paths>(options);
}
