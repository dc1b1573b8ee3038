import { useMantineColorScheme } from '@mantine/core';
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { findResources, NO_SEARCH } from './find.ts';
import { NAV } from './nav.ts';
import { type Place, pathIn } from './place.ts';
import { useSignOut } from './sign-out.ts';

export const openCommands = () => spotlight.open();

const CREATE = [
  { label: 'Create load balancer', path: 'load-balancers/new' },
  { label: 'Create instance', path: 'instances/new' },
  ...[
    ['Create volume', 'volumes'],
    ['Take snapshot', 'snapshots'],
    ['Add image', 'images'],
    ['Add SSH key', 'ssh-keys'],
    ['Create server group', 'server-groups'],
    ['Create network', 'networks'],
    ['Create router', 'routers'],
    ['Create security group', 'security-groups'],
    ['Create floating IP', 'floating-ips'],
    ['Reserve address', 'reserved-ips'],
    ['Create cluster', 'kubernetes'],
    ['Create storage', 'storages'],
    ['Create PostgreSQL cluster', 'databases'],
    ['Add certificate', 'secrets'],
    ['Create inference secret', 'inference-secrets'],
    ['Set storage threshold', 'storage'],
  ].map(([label = '', path = '']) => ({ label, path, form: true })),
  { label: 'Design response pages', path: 'response-pages/new' },
  { label: 'Ask for more quota', path: 'quotas', form: true },
];

/** Of the account and of the cloud, which have no place. */
const ELSEWHERE = [
  { label: 'Create API token', to: '/account/tokens?new=1' },
  { label: 'Invite person', to: '/account/people?new=1' },
  { label: 'Add webhook', to: '/account/subscriptions?new=1' },
  { label: 'Create client', to: '/operator/clients?new=1' },
  { label: 'Add webhook target', to: '/operator/webhooks?new=1' },
  { label: 'Set fault', to: '/operator/simulation?new=1' },
];

/** ⌘K: every page, every creation, and resources by name or id. */
export function Commands({ place }: { readonly place: Place }) {
  const navigate = useNavigate();
  const [{ found, isPartial }, setFound] = useState(NO_SEARCH);
  const { setColorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  const go = (to: string) => () => void navigate({ to });
  const look = async (query: string) => {
    const next = await findResources(place, query);
    if (next) setFound(next);
  };
  const pages: SpotlightActionData[] = NAV.flatMap(({ items }) =>
    items.map((item) => ({ id: `page ${item.label}`, label: item.label, onClick: go(item.to(place)) })),
  );
  const inPlace: SpotlightActionData[] = CREATE.map(({ label, path, ...rest }) => ({
    id: label,
    label,
    onClick: go(`${pathIn(place, ...path.split('/'))}${'form' in rest ? '?new=1' : ''}`),
  }));
  const creations = [
    ...inPlace,
    ...ELSEWHERE.map(({ label, to }) => ({ id: label, label, onClick: go(to) })),
  ];
  const portal: SpotlightActionData[] = [
    { id: 'light', label: 'Light appearance', onClick: () => setColorScheme('light') },
    { id: 'dark', label: 'Dark appearance', onClick: () => setColorScheme('dark') },
    { id: 'auto', label: 'Appearance as the system', onClick: () => setColorScheme('auto') },
    { id: 'docs', label: 'API reference', onClick: () => void open('/docs') },
    { id: 'leave', label: 'Sign out', onClick: () => void leave() },
  ];
  const resources: SpotlightActionData[] = found.map(({ kind, name, id, to }) => ({
    id,
    label: name,
    description: kind,
    keywords: [id],
    onClick: go(to),
  }));
  return (
    <Spotlight
      shortcut={['mod + K']}
      scrollable
      maxHeight={420}
      attributes={{ content: { 'aria-label': 'Search or jump to' } }}
      nothingFound={
        isPartial ? 'Nothing was found, but not everything could be read' : 'Nothing has this name or id'
      }
      onQueryChange={(query) => void look(query)}
      actions={[
        ...(resources.length > 0 ? [{ group: 'Resources', actions: resources }] : []),
        { group: 'Pages', actions: pages },
        { group: 'Create', actions: creations },
        { group: 'Portal', actions: portal },
      ]}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: 'A page, an action, or a name or id',
        'aria-label': 'Search',
      }}
    />
  );
}
