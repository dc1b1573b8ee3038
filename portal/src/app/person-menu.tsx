import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { roleIn } from '../api/may.ts';
import { useSession } from '../api/session.ts';
import type { Icon } from '../ui/icon.tsx';
import {
  IconDeviceDesktop,
  IconDevices,
  IconLogout,
  IconMoon,
  IconSun,
  IconTool,
  IconUserCircle,
} from '../ui/icons.ts';
import { useScope } from './scope.ts';
import { useSignOut } from './sign-out.ts';

/** Who is signed in, how the page looks, and the way out. */
export function PersonMenu() {
  const session = useSession();
  const { project } = useScope();
  const here = session.state === 'in' ? roleIn(session, project) : undefined;
  const navigate = useNavigate();
  const leave = useSignOut();
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
        <Scheme scheme="light" label="Light" icon={IconSun} />
        <Scheme scheme="dark" label="Dark" icon={IconMoon} />
        <Scheme scheme="auto" label="As the system" icon={IconDeviceDesktop} />
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconDevices size={15} />}
          onClick={() => void navigate({ to: '/account/sessions' })}
        >
          Password and sessions
        </Menu.Item>
        <Menu.Item
          leftSection={<IconTool size={15} />}
          onClick={() => void navigate({ to: '/operator/clients' })}
        >
          For operators
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={15} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface SchemeProps {
  readonly scheme: 'light' | 'dark' | 'auto';
  readonly label: string;
  readonly icon: Icon;
}

/** One way the page can look. */
function Scheme({ scheme, label, icon: SchemeIcon }: SchemeProps) {
  const { setColorScheme, colorScheme } = useMantineColorScheme();
  return (
    <Menu.Item
      leftSection={<SchemeIcon size={15} />}
      rightSection={scheme === colorScheme ? '✓' : undefined}
      onClick={() => setColorScheme(scheme)}
    >
      {label}
    </Menu.Item>
  );
}
