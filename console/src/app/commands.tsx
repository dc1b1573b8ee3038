import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { needsOf, useMay } from '../api/may.ts';
import { IconSearch } from '../ui/icons.ts';
import styles from './commands.module.css';
import { NAV } from './nav.ts';
import { type Place, pathIn } from './place.ts';
import { searchResources } from './search.ts';
import { NO_SEARCH, type Search } from './search-nouns.ts';
import { useSignOut } from './sign-out.ts';

export const openCommands = () => spotlight.open();

/** How a call says where something is made. */
const HERE = '{project_id}/{region_id}';

/** What is made in a place: its page, and the call that makes it. */
const CREATE = [
  ['Create load balancer', 'load-balancers/new', `/cloud/v1/loadbalancers/${HERE}`],
  ['Create instance', 'instances/new', `/cloud/v2/instances/${HERE}`],
  ['Create volume', 'volumes?new=1', `/cloud/v1/volumes/${HERE}`],
  ['Take snapshot', 'snapshots?new=1', `/cloud/v1/snapshots/${HERE}`],
  ['Create lifecycle policy', 'lifecycle-policies?new=1', `/cloud/v1/lifecycle_policy/${HERE}`],
  ['Add image', 'images?new=1', `/cloud/v1/images/${HERE}`],
  ['Add SSH key', 'ssh-keys?new=1', '/cloud/v1/ssh_keys/{project_id}'],
  ['Create server group', 'server-groups?new=1', `/cloud/v1/servergroups/${HERE}`],
  ['Create network', 'networks?new=1', `/cloud/v1/networks/${HERE}`],
  ['Create router', 'routers?new=1', `/cloud/v1/routers/${HERE}`],
  ['Create security group', 'security-groups?new=1', `/cloud/v2/security_groups/${HERE}`],
  ['Create floating IP', 'floating-ips?new=1', `/cloud/v1/floatingips/${HERE}`],
  ['Reserve fixed IP', 'reserved-ips?new=1', `/cloud/v1/reserved_fixed_ips/${HERE}`],
  ['Create cluster', 'kubernetes?new=1', `/cloud/v2/k8s/clusters/${HERE}`],
  ['Create storage', 'storages?new=1', '/storage/v4/object_storages'],
  ['Create PostgreSQL cluster', 'databases?new=1', `/cloud/v1/dbaas/postgres/clusters/${HERE}`],
  ['Add certificate', 'secrets?new=1', `/cloud/v2/secrets/${HERE}`],
  ['Create inference secret', 'inference-secrets?new=1', '/cloud/v3/inference/{project_id}/secrets'],
  [
    'Create registry credentials',
    'registry-credentials?new=1',
    '/cloud/v3/inference/{project_id}/registry_credentials',
  ],
  ['Set storage threshold', 'storage?new=1', '/storage/notifications/v1/event'],
  ['Design response pages', 'response-pages/new', '/waap/v1/custom-page-sets'],
  ['Ask for more quota', 'quotas?new=1', '/cloud/v2/limits_request'],
] as const;

/** Of the account and of the cloud, which have no place. */
const ELSEWHERE = [
  ['Create API token', '/account/tokens?new=1', '/iam/clients/{clientId}/tokens'],
  ['Invite person', '/account/people?new=1', '/iam/clients/invite_user'],
  ['Add webhook', '/account/subscriptions?new=1', '/cloud/v1/user_actions/subscribe'],
  ['Create client', '/operator/clients?new=1', '/virga/v1/clients'],
  ['Add webhook target', '/operator/webhooks?new=1', '/virga/v1/webhook_targets'],
  ['Set fault', '/operator/simulation?new=1', '/virga/v1/simulation/{region_id}/faults'],
] as const;

interface Creation {
  readonly label: string;
  readonly to: string;
  /** Why it can't be done. */
  readonly lack: string | undefined;
}

/** What can be made, and by whom it can't. */
function useCreations(place: Place): readonly Creation[] {
  const may = useMay();
  return [
    ...CREATE.map(([label, page, path]) => ({
      label,
      to: `${pathIn(place)}/${page}`,
      lack: may(needsOf('post', path, place.project)),
    })),
    ...ELSEWHERE.map(([label, to, path]) => ({ label, to, lack: may(needsOf('post', path)) })),
  ];
}

/** It is found, and says why it can't be done. */
const notOffered = ({ label }: Creation): SpotlightActionData => ({
  id: label,
  label,
  closeSpotlightOnTrigger: false,
  'aria-disabled': true,
  className: styles.off ?? '',
});

function whyNothing({ isPartial, cut }: Search): string {
  if (isPartial) return 'Nothing was found, but not everything could be read';
  if (cut.length === 0) return 'Nothing has this name or id';
  const named = cut.filter(({ hasNames }) => hasNames).map(({ kind }) => kind);
  const orName = named.length > 0 ? `, or the whole name (${named.join(', ')})` : '';
  const kinds = cut.map(({ kind }) => kind).join(', ');
  return `Nothing was found, but there are too many to search each: ${kinds}. Type the whole id${orName}.`;
}

/** ⌘K: every page, every creation, and resources by name or id. */
export function Commands({ place }: { readonly place: Place }) {
  const navigate = useNavigate();
  const [search, setSearch] = useState(NO_SEARCH);
  const { setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  const go = (to: string) => () => void navigate({ to });
  const look = async (query: string) => {
    const next = await searchResources(place, query);
    if (next) setSearch(next);
  };
  const pages: SpotlightActionData[] = NAV.flatMap(({ items }) =>
    items.map((item) => ({ id: `page ${item.label}`, label: item.label, onClick: go(item.to(place)) })),
  );
  const creations = useCreations(place);
  const able = creations.filter(({ lack }) => lack === undefined);
  // What the person lacks for several is said once, above them.
  const lacks = [...new Set(creations.flatMap(({ lack }) => lack ?? []))];
  const portal: SpotlightActionData[] = [
    { id: 'light', label: 'Light appearance', onClick: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark appearance', onClick: () => setColorScheme('dark') },
    { id: 'auto', label: 'Appearance as the system', onClick: () => setColorScheme('auto') },
    { id: 'docs', label: 'API reference', onClick: () => void open('/docs') },
    { id: 'leave', label: 'Sign out', onClick: () => void leave() },
  ];
  const resources: SpotlightActionData[] = search.found.map(({ kind, name, id, page }) => ({
    // A reserved fixed IP is a port, too, with the same id.
    id: `${kind} ${id}`,
    label: name,
    description: kind,
    keywords: [id],
    onClick: go(pathIn(place, ...page)),
  }));
  return (
    <Spotlight
      classNames={{ actionsGroup: styles.group ?? '' }}
      shortcut={['mod + K']}
      scrollable
      maxHeight={420}
      attributes={{ content: { 'aria-label': 'Search or jump to' } }}
      nothingFound={whyNothing(search)}
      onQueryChange={(query) => void look(query)}
      actions={[
        ...(resources.length > 0 ? [{ group: 'Resources', actions: resources }] : []),
        { group: 'Pages', actions: pages },
        {
          group: 'Create',
          actions: able.map(({ label, to }) => ({ id: label, label, onClick: go(to) })),
        },
        { group: 'Portal', actions: portal },
        ...lacks.map((lack) => ({
          group: lack,
          actions: creations.filter((one) => one.lack === lack).map(notOffered),
        })),
      ]}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'A page, an action, or a name or id',
        'aria-label': 'Search',
      }}
    />
  );
}
