import type { Nouns } from './platform/feature.ts';
import type { Route } from './platform/http/route.ts';

/** What the operations are called in the document, and in the clients that are made of it: `createLoadBalancer`. The
 *  names follow from the method and the path, and the nouns that features have; what would come out odd says its
 *  `operationId` itself. */

/** What a POST does to the thing before it, where it does not create something below it. */
const ACTIONS: Readonly<Record<string, readonly [string, string]>> = {
  acknowledge: ['acknowledge', ''],
  action: ['act', 'On'],
  addsecuritygroup: ['addSecurityGroup', 'To'],
  approve: ['approve', ''],
  assign: ['assign', ''],
  attach: ['attach', ''],
  attach_interface: ['attachInterface', 'To'],
  changeflavor: ['changeFlavor', 'Of'],
  check_limits: ['checkLimits', 'For'],
  convert: ['convert', ''],
  copy: ['copy', ''],
  delsecuritygroup: ['removeSecurityGroup', 'From'],
  detach: ['detach', ''],
  detach_interface: ['detachInterface', 'From'],
  disable_port_security: ['disableSecurity', 'Of'],
  enable_port_security: ['enableSecurity', 'Of'],
  extend: ['extend', ''],
  failover: ['failOver', ''],
  metrics: ['readMetrics', 'Of'],
  powercycle: ['powerCycle', ''],
  reboot: ['reboot', ''],
  reject: ['reject', ''],
  resize: ['resize', ''],
  resume: ['resume', ''],
  retype: ['retype', ''],
  revert: ['revert', ''],
  start: ['start', ''],
  stop: ['stop', ''],
  suspend: ['suspend', ''],
  unassign: ['unassign', ''],
  upgrade: ['upgrade', ''],
};

/** Words of paths that name no thing. */
const SILENT = new Set(['cloud', 'iam', 'virga', 'waap', 'storage', 'notifications', 'k8s', 'public']);
/** What a call belongs to, rather than what it is about. */
const SCOPES = new Set(['{project_id}', '{region_id}', '{client_id}', '{clientId}']);
const VERBS = { PATCH: 'update', PUT: 'replace', DELETE: 'delete', POST: 'create' } as const;

type Named = Pick<Route['spec'], 'method' | 'path' | 'deprecated' | 'operationId'>;

/** Names that are unique among the operations that are served; the version is in the names of older forms. */
export class OperationNames {
  readonly #nouns: Nouns;

  constructor(nouns: Nouns) {
    this.#nouns = nouns;
  }

  readonly of = ({ method, path, deprecated, operationId }: Named): string => {
    if (operationId !== undefined) return operationId;
    const version = /\/v(\d)\//.exec(path)?.[1] ?? '1';
    return `${this.#nameOf(method, path)}${deprecated ? `V${version}` : ''}`;
  };

  #nameOf(method: string, path: string): string {
    const parts = path
      .split('/')
      .filter((part, index, all) => part !== '' && !isSilent(part) && !isScope(part, all[index - 1]));
    const words = parts.filter((part) => !part.startsWith('{'));
    const last = words.at(-1) ?? '';
    const owner = this.#ownerOf(words.slice(0, -1));
    if (parts.at(-1) !== last) {
      const what = last === 'metadata' ? 'MetadataEntry' : this.#one(last);
      return `${method === 'GET' ? 'get' : VERBS[method as keyof typeof VERBS]}${owner}${what}`;
    }
    const [verb, preposition] = method === 'POST' ? (ACTIONS[last] ?? []) : [];
    if (verb !== undefined) return `${verb}${preposition}${owner || this.#one(words.at(-2) ?? '')}`;
    if (method === 'GET') {
      const isList = last in this.#nouns && !this.#isSingle(last);
      return isList ? `list${owner}${this.#many(last)}` : `get${owner}${this.#one(last)}`;
    }
    if (method === 'POST' && last === 'metadata') return `add${owner}Metadata`;
    const what = method === 'POST' || this.#isSingle(last) ? this.#one(last) : this.#many(last);
    return `${VERBS[method as keyof typeof VERBS]}${owner}${what}`;
  }

  #isSingle(word: string): boolean {
    return !(word in this.#nouns) || word === 'healthmonitor' || word === 'certificates';
  }

  #one(word: string): string {
    const noun = this.#nouns[word] ?? pascal(word);
    return typeof noun === 'string' ? noun : noun[0];
  }

  #many(word: string): string {
    const noun = this.#nouns[word] ?? pascal(word);
    return typeof noun === 'string' ? `${noun}s` : noun[1];
  }

  /** The thing to which something belongs: the nearest before it. */
  #ownerOf(words: readonly string[]): string {
    const owners = words.filter((word) => word !== 'inference' && word !== 'users');
    const [first = '', ...rest] = owners;
    const nearest = rest.at(-1) ?? first;
    if (nearest === '') return words.includes('inference') ? 'Inference' : '';
    // Pools of clusters are others than those of load balancers.
    return nearest === 'pools' && first === 'clusters' ? 'ClusterPool' : this.#one(nearest);
  }
}

const isScope = (part: string, before?: string) =>
  SCOPES.has(part) && `{${before}}` !== part.replace('_id', 's');
const isSilent = (part: string) => SILENT.has(part) || /^v\d+$/.test(part);
const pascal = (word: string) =>
  word.replace(/(?:^|[-_])(\w)/g, (_all, letter: string) => letter.toUpperCase());
