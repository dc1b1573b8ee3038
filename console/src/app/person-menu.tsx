import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { roleIn } from '../api/may.ts';
import { useSession } from '../api/session.ts';
import {
  IconDeviceDesktop,
  IconDevices,
  IconLogout,
  IconMoon,
  IconSun,
  IconUserCircle,
} from '../ui/icons.ts';
import { usePlace } from './place.ts';
import { useSignOut } from './sign-out.ts';

/** Who is signed in, how the page looks, and the way out. */
export function PersonMenu() {
  const session = useSession();
  const { project } = usePlace();
  const here = session.state === 'in' ? roleIn(session, project) : undefined;
  const navigate = useNavigate();
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  const leave = useSignOut();
  const mark = (scheme: string) => (scheme === colorScheme ? '✓' : undefined);
  return (
    <Menu position="bottom-end" width={240} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label="Account and appearance">
          <IconUserCircle size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {session.state === 'in' && (
          <Menu.Label>
            {session.email}
            <br />
            {here === session.role ? here : `${session.role}, ${here} in this project`}
          </Menu.Label>
        )}
        <Menu.Item
          leftSection={<IconSun size={15} />}
          rightSection={mark('light')}
          onClick={() => setColorScheme('light')}
        >
          Light
        </Menu.Item>
        <Menu.Item
          leftSection={<IconMoon size={15} />}
          rightSection={mark('dark')}
          onClick={() => setColorScheme('dark')}
        >
          Dark
        </Menu.Item>
        <Menu.Item
          leftSection={<IconDeviceDesktop size={15} />}
          rightSection={mark('auto')}
          onClick={() => setColorScheme('auto')}
        >
          As the system
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconDevices size={15} />}
          onClick={() => void navigate({ to: '/account/sessions' })}
        >
          Password and sessions
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
