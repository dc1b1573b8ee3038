import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { needsOf, useMay } from '../api/may.ts';
import { useOperatorToken } from '../api/operator.ts';
import { pathIn, type Scope } from '../api/scope.ts';
import { StatusBadge } from '../ui/badge.tsx';
import { IconPlus, IconSearch } from '../ui/icons.ts';
import { recents } from '../ui/recent.ts';
import styles from './commands.module.css';
import { projectsQuery, regionsQuery } from './home.ts';
import { type SearchResult, shownAs } from './kinds.ts';
import { navOf } from './nav.ts';
import { useScope } from './scope.ts';
import { type Search, useSearch } from './search.ts';
import { useSignOut } from './sign-out.ts';

export const openCommands = () => spotlight.toggle();

/** How a call says where something is made. */
const HERE = '{project_id}/{region_id}';

/** What is made in a scope: its page, and the call that makes it. */
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
] as const;

/** With the token of those who run the cloud. */
const OPERATOR = [
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
function useCreations(scope: Scope): readonly Creation[] {
  const may = useMay();
  const isOperator = useOperatorToken() !== undefined;
  const elsewhere = isOperator ? [...ELSEWHERE, ...OPERATOR] : ELSEWHERE;
  return [
    ...CREATE.map(([label, page, path]) => ({
      label,
      to: `${pathIn(scope)}/${page}`,
      lack: may(needsOf('post', path, scope.project)),
    })),
    ...elsewhere.map(([label, to, path]) => ({ label, to, lack: may(needsOf('post', path)) })),
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

function whyNothing({ waiting, fault }: Search): string {
  if (fault) return fault.message;
  return waiting ? 'Searching…' : 'Nothing has this in its name, id, address or tags';
}

/** Says where something is, if it is not where the reader is. */
function useScopeNames() {
  const here = useScope();
  const projects = useQuery(projectsQuery());
  const regions = useQuery(regionsQuery());
  return ({ kind, project_id, region_id }: SearchResult): string => {
    const project = projects.data?.results.find(({ id }) => id === project_id);
    const region = regions.data?.results.find(({ id }) => id === region_id);
    const named = [
      kind === 'project' || project_id === here.project ? undefined : project?.name,
      kind === 'region' || region_id === here.region ? undefined : region?.display_name,
    ].filter(Boolean);
    return named.length > 0 ? ` in ${named.join(', ')}` : '';
  };
}

/** ⌘K: every page, every creation, and resources of all projects and regions. */
export function Commands({ scope }: { readonly scope: Scope }) {
  const scopeOf = useScopeNames();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const search = useSearch(typed);
  const { setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  const go = (to: string) => () => void navigate({ to });
  const pages: SpotlightActionData[] = navOf(useOperatorToken() !== undefined).flatMap(
    ({ icon: Icon, items }) =>
      items.map((item) => ({
        id: `page ${item.label}`,
        label: item.label,
        leftSection: <Icon size={18} stroke={1.7} />,
        onClick: go(item.to(scope)),
      })),
  );
  const seen: SpotlightActionData[] =
    typed === ''
      ? recents().map(({ path, name, of }) => ({
          id: `recent ${path}`,
          label: name,
          description: of,
          onClick: go(path),
        }))
      : [];
  const creations = useCreations(scope);
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
  const resources = search.found.flatMap((found): SpotlightActionData[] => {
    const shown = shownAs(found, scope);
    if (!shown) return [];
    return [
      {
        // A reserved fixed IP is a port, too, with the same id.
        id: `${found.kind} ${found.id}`,
        label: found.name,
        description: `${shown.label}${scopeOf(found)}`,
        // What the server has found stays, whatever it was found by.
        keywords: [typed],
        leftSection: <shown.icon size={18} stroke={1.7} />,
        rightSection: found.status ? <StatusBadge status={found.status} /> : null,
        onClick: go(shown.to),
      },
    ];
  });
  const more = search.truncated ? ': the first of many, type more to see others' : '';
  return (
    <Spotlight
      classNames={{ actionsGroup: styles.group ?? '' }}
      shortcut={null}
      scrollable
      maxHeight={420}
      attributes={{ content: { 'aria-label': 'Search or jump to' } }}
      nothingFound={whyNothing(search)}
      onQueryChange={setTyped}
      clearQueryOnClose
      actions={[
        ...(seen.length > 0 ? [{ group: 'Recent', actions: seen }] : []),
        ...(resources.length > 0 ? [{ group: `Resources${more}`, actions: resources }] : []),
        { group: 'Pages', actions: pages },
        {
          group: 'Create',
          actions: able.map(({ label, to }) => ({
            id: label,
            label,
            onClick: go(to),
            leftSection: <IconPlus size={18} stroke={1.7} />,
          })),
        },
        { group: 'Portal', actions: portal },
        ...lacks.map((lack) => ({
          group: lack,
          actions: creations.filter((one) => one.lack === lack).map(notOffered),
        })),
      ]}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'A page, an action, or a name, id, address or tag',
        'aria-label': 'Search',
      }}
    />
  );
}
