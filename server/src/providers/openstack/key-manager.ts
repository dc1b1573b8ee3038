import type { DesiredLoadBalancer } from '../../features/load-balancers/port.ts';
import { TaskFailed } from '../../kernel/errors.ts';
import { absent, EngineFault } from './faults.ts';
import { adopt, markOf } from './marks.ts';
import { pkcs12Of } from './pkcs12.ts';
import type { Session } from './session.ts';
import { type SecretRefs, secretsOf, type TlsSecret } from './tls.ts';

/** Secrets of Barbican. Those of a load balancer have its mark as their name, and as their mode, which is free text, the
 *  digest of what is in them: so one list says all, and what is not wanted any more is known for it. */

/** As many as it gives at once. */
const PAGE = 100;
const TOO_LARGE = 413;

interface Kept {
  readonly id: string;
  readonly ref: string;
  readonly digest: string;
  readonly created_at: string;
}

/** What is kept for a load balancer. */
export interface KeptSecrets {
  readonly refs: SecretRefs;
  /** How many were made for it now. */
  readonly made: number;
  /** The ids of those that nothing wants. */
  readonly surplus: readonly string[];
}

export class KeyManager {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Keeps all that a load balancer needs. What is surplus stays, since it may be in use. */
  async keep(desired: DesiredLoadBalancer): Promise<KeptSecrets> {
    const all = await this.#marked(desired.id);
    const refs = new Map<string, string>();
    const kept = new Set<string>();
    let made = 0;
    for (const each of secretsOf(desired)) {
      const { adopted } = adopt(all.filter(({ digest }) => digest === each.digest));
      if (adopted) kept.add(adopted.id);
      else made++;
      refs.set(each.digest, adopted?.ref ?? (await this.#create(desired.id, each)));
    }
    return { refs, made, surplus: all.map(({ id }) => id).filter((id) => !kept.has(id)) };
  }

  /** The ids of all that are there, of everybody. A page that fails fails the whole. */
  async all(): Promise<ReadonlySet<string>> {
    return new Set((await this.#list('')).map(({ id }) => id));
  }

  /** Those that were made for a load balancer. */
  async ids(loadBalancerId: string): Promise<readonly string[]> {
    return (await this.#marked(loadBalancerId)).map(({ id }) => id);
  }

  /** What is gone is deleted. */
  async remove(id: string): Promise<void> {
    await absent(this.#session.call('key-manager', 'DELETE', `/secrets/${id}`));
  }

  #marked(loadBalancerId: string): Promise<readonly Kept[]> {
    return this.#list(`name=${encodeURIComponent(markOf(loadBalancerId))}&`);
  }

  async #list(query: string): Promise<readonly Kept[]> {
    const all: Kept[] = [];
    for (;;) {
      const page = `limit=${PAGE}&offset=${all.length}`;
      const answer = await this.#session.call('key-manager', 'GET', `/secrets?${query}${page}`);
      const { secrets } = answer as { readonly secrets: readonly SecretLine[] };
      all.push(...secrets.map(keptOf));
      if (secrets.length < PAGE) return all;
    }
  }

  /** @returns its reference
   *  @throws with nothing of what an answer says, since it may quote what it is about */
  async #create(loadBalancerId: string, secret: TlsSecret): Promise<string> {
    const body = {
      name: markOf(loadBalancerId),
      mode: secret.digest,
      secret_type: 'opaque',
      ...payloadOf(secret),
    };
    try {
      const answer = await this.#session.call('key-manager', 'POST', '/secrets', body);
      return (answer as { readonly secret_ref: string }).secret_ref;
    } catch (error) {
      if (!(error instanceof EngineFault) || error.status === 0) throw error;
      if (error.status === TOO_LARGE) throw new TaskFailed('A certificate is too large for the key manager');
      const says = `the key manager did not keep a certificate: the answer was ${error.status}`;
      throw new EngineFault(error.kind, error.status, says, error.retryAfterMs);
    }
  }
}

interface SecretLine {
  readonly secret_ref: string;
  readonly mode: string | null;
  readonly created: string;
}

/** Its id, of the address that the key manager says. */
export const idOfSecret = (ref: string): string => ref.split('/').at(-1) ?? '';

const keptOf = ({ secret_ref: ref, mode, created }: SecretLine): Kept => ({
  id: idOfSecret(ref),
  ref,
  digest: mode ?? '',
  created_at: created,
});

function payloadOf(secret: TlsSecret): object {
  if ('pem' in secret) return { payload: secret.pem, payload_content_type: 'text/plain' };
  return {
    payload: bytesOf(secret).toString('base64'),
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  };
}

function bytesOf({ bundle }: Extract<TlsSecret, { bundle: object }>): Buffer {
  try {
    return pkcs12Of(bundle);
  } catch {
    throw new TaskFailed(`Certificate ${bundle.id} or its key is not in PEM`);
  }
}
