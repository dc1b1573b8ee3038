import { apiCall, type Schemas } from '../../api/client.ts';
import type { Scope } from '../../api/scope.ts';
import { numberField, optionField, textField } from '../../ui/fields.ts';
import { type RowVerb, useRowForm } from '../../ui/row-form.tsx';
import type { FormOptions } from '../../ui/side-form.tsx';
import { text } from '../../ui/side-form.tsx';
import { list, number } from '../../ui/values.ts';
import { ATTRIBUTES, aclField, LETTERS, MODES, REPLICATIONS } from './fields.tsx';
import {
  type Cluster,
  clusterPath,
  flavorKey,
  flavorOf,
  flavorWords,
  useOffer,
  whyFixed,
} from './queries.ts';

export type Change = Schemas['UpdatePostgresqlCluster'];

/** The call that changes a cluster. */
export const change = (scope: Scope, name: string, body: Change) =>
  apiCall('patch', '/cloud/v1/dbaas/postgres/clusters/{project_id}/{region_id}/{cluster_name}', {
    params: { path: clusterPath(scope, name) },
    body,
  });

type ChangeForm = Pick<FormOptions<Change>, 'title' | 'verb' | 'fields' | 'body'>;

/** What every form about a cluster has in common. */
const useChange = (scope: Scope, label: string, form: (cluster: Cluster) => ChangeForm) =>
  useRowForm<Cluster, Change>({
    label,
    disabled: whyFixed,
    form: (cluster) => ({
      ...form(cluster),
      request: (body) => change(scope, cluster.cluster_name, body),
    }),
  });

/** The forms of the menu: size, who may connect, replica, pooler. */
export function useClusterVerbs(scope: Scope): readonly RowVerb<Cluster>[] {
  const offer = useOffer();
  const resize = useChange(scope, 'Resize…', (cluster) => ({
    title: `Resize ${cluster.cluster_name}`,
    fields: [
      optionField(
        'flavor',
        'Size',
        (offer.data?.flavors ?? []).map((one) => ({
          value: flavorKey(one),
          label: flavorWords(one),
        })),
        { initial: flavorKey(cluster.flavor), from: offer },
      ),
      numberField('size', 'Storage in GiB', {
        about: 'It does not shrink',
        min: cluster.storage.size_gib,
        max: 100,
        initial: cluster.storage.size_gib,
        fault: 'storage.size_gib',
      }),
    ],
    body: (values) => ({
      flavor: flavorOf(text(values, 'flavor')),
      storage: { size_gib: number(values, 'size') ?? 0 },
    }),
  }));
  const acl = useChange(scope, 'Who may connect…', (cluster) => ({
    title: 'Who may connect',
    verb: 'Save',
    fields: [aclField(cluster.network.acl)],
    body: (values) => ({ network: { network_type: 'public', acl: [...list(values, 'acl')] } }),
  }));
  return [resize, acl, useReplica(scope), usePooler(scope)];
}

const useReplica = (scope: Scope) =>
  useChange(scope, 'Replica…', (cluster) => ({
    title: cluster.high_availability ? 'Change how the replica follows' : 'Add replica',
    verb: 'Save',
    fields: [
      optionField('mode', 'Replication', REPLICATIONS, {
        about: 'It takes over at the same address when the primary is lost, and goes with its cluster.',
        initial: cluster.high_availability?.replication_mode ?? 'sync',
        fault: 'high_availability',
      }),
    ],
    body: (values) => ({ high_availability: { replication_mode: text(values, 'mode') as 'sync' } }),
  }));

const usePooler = (scope: Scope) =>
  useChange(scope, 'Pooler…', (cluster) => ({
    title: cluster.pg_server_configuration.pooler ? 'Change pooler' : 'Add pooler',
    verb: 'Save',
    fields: [
      optionField('mode', 'Mode', MODES, {
        about: 'It serves at port 6432 of the same address, and goes with its cluster.',
        initial: cluster.pg_server_configuration.pooler?.mode ?? 'transaction',
        fault: 'pg_server_configuration.pooler',
      }),
    ],
    body: (values) => ({
      pg_server_configuration: { pooler: { mode: text(values, 'mode') as 'session', type: 'pgbouncer' } },
    }),
  }));

/** The form that adds a database. */
export const useNewDatabase = (scope: Scope) =>
  useChange(scope, 'Add database', (cluster) => ({
    title: 'Add database',
    fields: [
      textField('name', 'Name', { about: LETTERS, fault: 'databases' }),
      optionField(
        'owner',
        'Owner',
        cluster.users.map(({ name }) => ({ value: name, label: name })),
        { first: true },
      ),
    ],
    body: (values) => ({ databases: [{ name: text(values, 'name'), owner: text(values, 'owner') }] }),
  }));

/** The form that adds a user. */
export const useNewUser = (scope: Scope) =>
  useChange(scope, 'Add user', () => ({
    title: 'Add user',
    fields: [
      textField('name', 'Name', { about: LETTERS, fault: 'users' }),
      {
        key: 'attributes',
        label: 'What it may do',
        kind: 'choices',
        initial: ['LOGIN'],
        options: ATTRIBUTES,
      },
    ],
    body: (values) => ({
      users: [{ name: text(values, 'name'), role_attributes: [...list(values, 'attributes')] as ['LOGIN'] }],
    }),
  }));
