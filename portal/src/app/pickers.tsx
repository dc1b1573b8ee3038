import { Combobox, InputBase, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Scope } from '../api/scope.ts';
import { unread } from '../ui/unread.ts';
import { projectsQuery, regionsQuery } from './home.ts';
import styles from './pickers.module.css';
import { rememberScope } from './scope.ts';

interface Choice {
  readonly id: number;
  readonly name: string;
  readonly note?: string | undefined;
}

/** Project and region of the page; another choice keeps the page, and leaves a single thing for its list. */
export function ScopePickers({ scope }: { readonly scope: Scope }) {
  const projects = useQuery(projectsQuery());
  const regions = useQuery(regionsQuery());
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const go = (next: Scope) => {
    rememberScope(next);
    const match = /^\/projects\/\d+\/regions\/\d+(?:\/([^/]+))?/.exec(pathname);
    if (match)
      void navigate({
        to: `/projects/${next.project}/regions/${next.region}${match[1] ? `/${match[1]}` : ''}`,
      });
    else void navigate({ to: '.', replace: true });
  };
  return (
    <div className={styles.pickers}>
      <Picker
        label="Project"
        value={scope.project}
        unread={unread(projects)}
        choices={(projects.data?.results ?? []).map(({ id, name }) => ({ id, name }))}
        choose={(project) => go({ ...scope, project })}
      />
      <span className={styles.slash}>/</span>
      <Picker
        label="Region"
        value={scope.region}
        unread={unread(regions)}
        choices={(regions.data?.results ?? []).map(({ id, display_name, state }) => ({
          id,
          name: display_name,
          note: state === 'ACTIVE' ? undefined : state.toLowerCase(),
        }))}
        choose={(region) => go({ ...scope, region })}
      />
    </div>
  );
}

interface PickerProps {
  readonly label: string;
  readonly value: number;
  readonly choices: readonly Choice[];
  /** Why there is nothing to choose from. */
  readonly unread: string | undefined;
  readonly choose: (id: number) => void;
}

function Picker({ label, value, choices, unread: why, choose }: PickerProps) {
  const [typed, setTyped] = useState('');
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setTyped('');
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const shown = choices.filter(({ id, name }) => `${name} ${id}`.toLowerCase().includes(typed.toLowerCase()));
  const current = choices.find(({ id }) => id === value);
  return (
    <Combobox
      store={combobox}
      width={260}
      position="bottom-start"
      onOptionSubmit={(id) => {
        choose(Number(id));
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target targetType="button">
        <InputBase
          component="button"
          type="button"
          pointer
          className={styles.target}
          classNames={{ input: styles.input ?? '' }}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          aria-label={`${label}: ${current?.name ?? 'none'}`}
          onClick={() => combobox.toggleDropdown()}
        >
          {current?.name ?? label}
        </InputBase>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          placeholder={`Find a ${label.toLowerCase()}`}
          aria-label={`Find a ${label.toLowerCase()}`}
        />
        <Combobox.Options aria-label={`${label}s`} mah={320} style={{ overflowY: 'auto' }}>
          {shown.length === 0 && <Combobox.Empty>{why ?? 'Nothing has this name'}</Combobox.Empty>}
          {shown.map(({ id, name, note }) => (
            <Combobox.Option key={id} value={String(id)} active={id === value}>
              {name}
              <span className={styles.note}>{note ?? id}</span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
