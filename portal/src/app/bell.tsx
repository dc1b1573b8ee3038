import { Drawer, Indicator, Skeleton, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { api } from '../api/client.ts';
import { IconBell } from '../ui/icons.ts';
import styles from './bell.module.css';

/** How many of the newest are shown at first, and how many more at each press. */
const STEP = 50;
/** The longest list that the API answers with. */
const MOST = 1000;

const BellList = lazy(async () => ({ default: (await import('./bell-list.tsx')).BellList }));

/** What who is signed in was notified of, with how much of it they have not read. */
export function Bell() {
  const [opened, { open, close }] = useDisclosure(false);
  const [limit, setLimit] = useState(STEP);
  const query = useQuery({
    ...api.queryOptions('get', '/virga/v1/notifications', { params: { query: { limit } } }),
    placeholderData: keepPreviousData,
  });
  const unread = query.data?.unread ?? 0;
  const label = unread === 0 ? 'Nothing new' : `${unread} not read`;
  return (
    <>
      <Tooltip label={`Notifications: ${label}`}>
        <UnstyledButton className={styles.bell} onClick={open} aria-label={`Notifications: ${label}`}>
          <Indicator disabled={unread === 0} label={unread > 99 ? '99+' : unread} size={15} offset={3}>
            <IconBell size={19} />
          </Indicator>
        </UnstyledButton>
      </Tooltip>
      <Drawer
        opened={opened}
        onClose={close}
        position="right"
        size={420}
        title="Notifications"
        closeButtonProps={{ 'aria-label': 'Close the notifications' }}
      >
        <Suspense fallback={<Skeleton height={240} />}>
          <BellList query={query} showMore={limit < MOST ? () => setLimit(limit + STEP) : undefined} />
        </Suspense>
      </Drawer>
    </>
  );
}
