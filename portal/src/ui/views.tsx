import { Button, CloseButton, Popover, TextInput } from '@mantine/core';
import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { IconChevronDown } from './icons.ts';
import type { Search } from './routing.tsx';
import { isSame, MOST_VIEWS, readViews, type SavedView, viewOf, viewsKey, withView } from './saved-views.ts';
import { VerbButton } from './verb-button.tsx';
import styles from './views.module.css';

interface ViewsProps {
  /** What the address asks for now. */
  readonly search: Search;
  /** Asks for what a view does, and for nothing else. */
  readonly show: (search: Search) => void;
}

/** The views of a list that somebody has saved, and saves. */
export function Views({ search, show }: ViewsProps) {
  const session = useSession();
  const person = session.state === 'in' ? session.email : '';
  const [views, setViews] = useLocalStorage<readonly SavedView[]>({
    key: viewsKey(person, location.pathname),
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: (text) => readViews(text ?? null),
  });
  const [opened, { toggle, close }] = useDisclosure(false);
  const shown = views.find((view) => isSame(view.search, search));
  return (
    <Popover opened={opened} onDismiss={close} position="bottom-start" trapFocus returnFocus width={280}>
      <Popover.Target>
        <Button
          size="xs"
          variant="default"
          rightSection={<IconChevronDown size={14} />}
          onClick={toggle}
          aria-label={shown ? `Views: ${shown.name}` : 'Views'}
        >
          {shown?.name ?? 'Views'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Views">
        {views.length === 0 ? (
          <p className={styles.none}>
            A view keeps the filters, the order and the length of this list. It stays in this browser.
          </p>
        ) : (
          <ul className={styles.list}>
            {views.map((view) => (
              <li key={view.name}>
                <button
                  type="button"
                  className={styles.view}
                  aria-current={view === shown || undefined}
                  onClick={() => {
                    show(view.search);
                    close();
                  }}
                >
                  {view.name}
                </button>
                <CloseButton
                  size="sm"
                  aria-label={`Remove view ${view.name}`}
                  onClick={() => setViews((now) => now.filter(({ name }) => name !== view.name))}
                />
              </li>
            ))}
          </ul>
        )}
        <Save
          views={views}
          search={search}
          save={(name) => {
            setViews((now) => withView(now, { name, search: viewOf(search) }));
            close();
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

interface SaveProps {
  readonly views: readonly SavedView[];
  readonly search: Search;
  readonly save: (name: string) => void;
}

function Save({ views, search, save }: SaveProps) {
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  return (
    <form
      className={styles.save}
      onSubmit={(event) => {
        event.preventDefault();
        save(name);
      }}
    >
      <TextInput
        size="xs"
        label="Save this view as"
        value={typed}
        maxLength={60}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <VerbButton type="submit" size="xs" why={whyNot(views, search, name)}>
        Save view
      </VerbButton>
    </form>
  );
}

function whyNot(views: readonly SavedView[], search: Search, name: string): string | undefined {
  if (Object.keys(viewOf(search)).length === 0) return 'Set a filter or an order first';
  if (name === '') return 'Give it a name first';
  const isNew = !views.some((view) => view.name === name);
  return isNew && views.length >= MOST_VIEWS
    ? `A list has at most ${MOST_VIEWS} views: remove one first`
    : undefined;
}
