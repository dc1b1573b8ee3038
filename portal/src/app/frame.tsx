import { ActionIcon, Burger, Drawer, Tooltip } from '@mantine/core';
import { useDisclosure, useHotkeys, useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { roleIn } from '../api/may.ts';
import { useOperatorToken } from '../api/operator.ts';
import type { Scope } from '../api/scope.ts';
import { useSession } from '../api/session.ts';
import { followTasks } from '../api/tasks.ts';
import { hint } from '../ui/hint.tsx';
import {
  IconBook2,
  IconChevronDown,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconSearch,
} from '../ui/icons.ts';
import { isTyping } from '../ui/row-keys.ts';
import { AwayBar } from './away-bar.tsx';
import { Bell } from './bell.tsx';
import styles from './frame.module.css';
import { regionsQuery } from './home.ts';
import { lacks, type NavGroup, type NavItem, navOf } from './nav.ts';
import { PersonMenu } from './person-menu.tsx';
import { ScopePickers } from './pickers.tsx';
import { rememberScope, useScope } from './scope.ts';
import { readSessionOnce } from './session.ts';
import { TaskRing } from './task-drawer.tsx';

/** What stands around every page: the left bar, the top bar, and the tasks. */
export function Frame() {
  const scope = useScope();
  const [folded, setFolded] = useLocalStorage({ key: 'virga.folded', defaultValue: false });
  const [sheet, { open, close }] = useDisclosure(false);
  const { pathname } = useLocation();
  const { Commands, openCommands } = useCommands();
  const { Shortcuts, closeShortcuts } = useShortcuts();
  useEffect(() => followTasks(), []);
  useEffect(() => {
    // An administrator may have changed the role meanwhile.
    const look = () =>
      document.visibilityState === 'visible' && void readSessionOnce().catch(() => undefined);
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  useEffect(() => {
    if (scope.project) rememberScope(scope);
  }, [scope]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that was chosen closes the sheet
  useEffect(() => close(), [pathname]);
  return (
    <div className={styles.frame} data-folded={folded}>
      <a className={styles.skip} href="#page">
        Skip to the page
      </a>
      <aside className={styles.side}>
        <Brand />
        <Nav folded={folded} />
        <div className={styles.fold}>
          <Tooltip label={folded ? 'Unfold' : 'Fold'} position="right">
            <ActionIcon
              aria-label={folded ? 'Unfold the bar' : 'Fold the bar'}
              onClick={() => setFolded(!folded)}
            >
              {folded ? (
                <IconLayoutSidebarLeftExpand size={18} />
              ) : (
                <IconLayoutSidebarLeftCollapse size={18} />
              )}
            </ActionIcon>
          </Tooltip>
        </div>
      </aside>
      <Drawer
        opened={sheet}
        onClose={close}
        size={280}
        title={<Brand />}
        closeButtonProps={{ 'aria-label': 'Close the menu' }}
      >
        <Nav folded={false} />
      </Drawer>
      <div className={styles.main}>
        <header className={styles.top}>
          <Burger
            className={styles.burger}
            size="sm"
            opened={sheet}
            onClick={open}
            aria-label="Open the menu"
          />
          <ScopePickers scope={scope} />
          <ReadOnly scope={scope} />
          <button type="button" className={styles.search} onClick={() => void openCommands()}>
            <IconSearch size={15} />
            <span>Search or jump to…</span>
            <kbd>⌘K</kbd>
          </button>
          <div className={styles.tools}>
            <TaskRing />
            <Bell />
            <Tooltip label="API reference">
              <ActionIcon component="a" href="/docs" target="_blank" aria-label="API reference">
                <IconBook2 size={18} />
              </ActionIcon>
            </Tooltip>
            <PersonMenu />
          </div>
        </header>
        <AwayBar />
        <main id="page" className={styles.page} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      {Commands && <Commands scope={scope} />}
      {Shortcuts && <Shortcuts close={closeShortcuts} />}
    </div>
  );
}

/** ⌘K, whose code is fetched when it is opened first. */
function useCommands() {
  const [Commands, setCommands] = useState<ComponentType<{ readonly scope: Scope }>>();
  const openCommands = async () => {
    const loaded = await import('./commands.tsx').catch(() => undefined);
    if (!loaded) return;
    setCommands(() => loaded.Commands);
    loaded.openCommands();
  };
  // Also from within a field.
  useHotkeys([['mod+K', () => void openCommands()]], []);
  return { Commands, openCommands };
}

/** `?` shows what other keys do. */
function useShortcuts() {
  const [Shortcuts, setShortcuts] = useState<ComponentType<{ readonly close: () => void }>>();
  useEffect(() => {
    const hear = async (event: KeyboardEvent) => {
      if (event.key !== '?' || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      const loaded = await import('./shortcuts.tsx').catch(() => undefined);
      if (loaded) setShortcuts(() => loaded.Shortcuts);
    };
    const listener = (event: KeyboardEvent) => void hear(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return { Shortcuts, closeShortcuts: () => setShortcuts(undefined) };
}

/** Says once for all that is shown here that nothing of it can be changed by who is signed in. */
function ReadOnly({ scope }: { readonly scope: Scope }) {
  const session = useSession();
  if (session.state !== 'in' || roleIn(session, scope.project) !== 'Users') return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is said of it must be reachable by keyboard
    <span className={styles.readOnly} tabIndex={0} {...hint(READ_ONLY)}>
      Read only
    </span>
  );
}

const READ_ONLY =
  'You have the role Users, which reads. An administrator of the account can give you another one, also for this project alone';

function Brand() {
  return (
    <Link className={styles.brand} to="/">
      <img src="/icon.svg" alt="" width={24} height={24} />
      <span>Virga</span>
    </Link>
  );
}

function Nav({ folded }: { readonly folded: boolean }) {
  const router = useRouter();
  const token = useOperatorToken();
  const { pathname } = useLocation();
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // The bar is longer than many windows are high.
    const show = () =>
      bar.current?.querySelector('[data-active="true"]')?.scrollIntoView({ block: 'nearest' });
    show();
    // By then the router has put everything back that was scrolled.
    return router.subscribe('onRendered', show);
  }, [router]);
  return (
    <nav ref={bar} aria-label="Pages" className={styles.nav}>
      {navOf(token !== undefined || pathname.startsWith('/operator')).map((group) => (
        <Group key={group.label} group={group} folded={folded} />
      ))}
    </nav>
  );
}

const DAILY = ['Networking', 'Compute'];

/** Whether an address is that of an entry, or of something below it. */
function isPageOf(item: NavItem, scope: Scope, pathname: string): boolean {
  const to = item.to(scope);
  return pathname === to || (item.label !== 'Overview' && pathname.startsWith(`${to}/`));
}

function Group({ group, folded }: { readonly group: NavGroup; readonly folded: boolean }) {
  const scope = useScope();
  const { pathname } = useLocation();
  const isHere = group.items.some((item) => isPageOf(item, scope, pathname));
  // Open are those of the daily work and the one of the page, until somebody says otherwise.
  const [kept, setKept] = useLocalStorage<boolean | null>({
    key: `virga.open.${group.label}`,
    defaultValue: null,
    getInitialValueInEffect: false,
  });
  const isOpen = kept ?? (isHere || DAILY.includes(group.label));
  const [first] = group.items;
  if (!first) return null;
  const alone = group.items.length === 1;
  return (
    <div className={styles.group}>
      {alone || folded ? (
        <NavLink item={{ ...first, label: group.label }} icon={group.icon} folded={folded} />
      ) : (
        <>
          <button
            type="button"
            className={styles.groupHead}
            aria-expanded={isOpen}
            onClick={() => setKept(!isOpen)}
          >
            <group.icon size={17} stroke={1.7} />
            {group.label}
            <IconChevronDown size={14} className={styles.chevron} />
          </button>
          {isOpen && group.items.map((item) => <NavLink key={item.label} item={item} inset />)}
        </>
      )}
    </div>
  );
}

interface NavLinkProps {
  readonly item: NavItem;
  readonly icon?: NavGroup['icon'];
  readonly inset?: boolean;
  readonly folded?: boolean;
}

function NavLink({ item, icon: Icon, inset = false, folded = false }: NavLinkProps) {
  const scope = useScope();
  const { pathname } = useLocation();
  const regions = useQuery(regionsQuery());
  const all = regions.data?.results ?? [];
  const why = lacks(
    item,
    all.find(({ id }) => id === scope.region),
    all,
  );
  const to = item.to(scope);
  const active = isPageOf(item, scope, pathname);
  const link = (
    <Link
      className={styles.link}
      to={to}
      data-inset={inset}
      data-lacking={why !== undefined}
      activeOptions={{ exact: true }}
      data-active={active}
    >
      {Icon && <Icon size={17} stroke={1.7} />}
      <span>{item.label}</span>
    </Link>
  );
  // Each costs as much as ten links: only where it says something.
  const more = why ?? (folded ? item.label : undefined);
  if (!more) return link;
  return (
    <Tooltip label={more} multiline={why !== undefined} {...(why ? { w: 240 } : {})} position="right">
      {link}
    </Tooltip>
  );
}
