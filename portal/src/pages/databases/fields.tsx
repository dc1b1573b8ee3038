import type { Field, Option } from '../../ui/field-input.tsx';
import { OwnAddress } from './own-address.tsx';

/** Fields that the form of a new cluster and those of one that is there have in common. */

export const MODES: readonly Option[] = [
  { value: 'transaction', label: 'Transaction: a connection for each transaction' },
  { value: 'session', label: 'Session: a connection for each client' },
  { value: 'statement', label: 'Statement: a connection for each statement' },
];

export const REPLICATIONS: readonly Option[] = [
  { value: 'sync', label: 'Synchronous: a commit waits for both, none is lost' },
  { value: 'async', label: 'Asynchronous: commits do not wait' },
];

export const ATTRIBUTES: readonly Option[] = [
  { value: 'LOGIN', label: 'LOGIN: may sign in' },
  { value: 'NOLOGIN', label: 'NOLOGIN: may not sign in' },
  { value: 'CREATEDB', label: 'CREATEDB: creates databases' },
  { value: 'CREATEROLE', label: 'CREATEROLE: creates users' },
  { value: 'INHERIT', label: 'INHERIT: has the rights of its groups' },
  { value: 'BYPASSRLS', label: 'BYPASSRLS: sees every row' },
];

export const aclField = (initial: readonly string[]): Field => ({
  key: 'acl',
  label: 'Who may connect',
  about:
    'Addresses and networks, such as 203.0.113.7 or 10.0.0.0/8. From elsewhere nobody gets in; with an empty list, nobody at all.',
  kind: 'list',
  initial,
  fault: 'network.acl',
  beside: (change, value) => (
    <OwnAddress listed={Array.isArray(value) ? value : []} add={(all) => change(all)} />
  ),
});

/** What an owner of a first database may be called. */
export const LETTERS = 'Lowercase letters only';
