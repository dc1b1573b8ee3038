import { Button, CloseButton, Select, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './filters.module.css';
import { IconSearch } from './icons.ts';
import { type Option, withDistinctLabels } from './options.ts';
import type { Search } from './routing.tsx';

export type Filter =
  | { readonly kind: 'text'; readonly key: string; readonly label: string }
  | { readonly kind: 'date'; readonly key: string; readonly label: string }
  | {
      readonly kind: 'choice';
      readonly key: string;
      readonly label: string;
      readonly options: readonly Option[];
    };

/** A filter that is typed. */
export const textFilter = (key: string, label: string): Filter => ({ kind: 'text', key, label });

/** A filter that is a day, as `2026-01-31`. */
export const dateFilter = (key: string, label: string): Filter => ({ kind: 'date', key, label });

/** A filter that is chosen. */
export const choiceFilter = (key: string, label: string, options: readonly Option[]): Filter => ({
  kind: 'choice',
  key,
  label,
  options,
});

interface FilterBarProps {
  readonly filters: readonly Filter[];
  readonly search: Search;
  readonly change: (next: Search) => void;
  /** More at its end. */
  readonly children?: ReactNode;
}

/** The filters of a list; each that is set can be removed alone. */
export function FilterBar({ filters, search, change, children }: FilterBarProps) {
  const set = filters.filter(({ key }) => search[key] !== undefined);
  return (
    <search className={styles.bar}>
      {filters.map((filter) =>
        filter.kind === 'text' ? (
          <TextFilter key={filter.key} filter={filter} value={search[filter.key]} change={change} />
        ) : filter.kind === 'date' ? (
          <DateFilter key={filter.key} filter={filter} value={search[filter.key]} change={change} />
        ) : (
          <Select
            key={filter.key}
            className={styles.choice}
            aria-label={filter.label}
            placeholder={filter.label}
            data={withDistinctLabels(filter.options)}
            value={search[filter.key] ?? null}
            onChange={(value) => change({ [filter.key]: value ?? undefined })}
            clearable
          />
        ),
      )}
      {set.length > 0 && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          onClick={() => change(Object.fromEntries(set.map(({ key }) => [key, undefined])))}
        >
          Clear filters
        </Button>
      )}
      {children}
    </search>
  );
}

interface FilterProps {
  readonly filter: Filter;
  readonly value: string | undefined;
  readonly change: (next: Search) => void;
}

function DateFilter({ filter, value, change }: FilterProps) {
  return (
    <TextInput
      type="date"
      className={styles.choice}
      aria-label={filter.label}
      leftSection={filter.label}
      leftSectionWidth={48}
      value={value ?? ''}
      onChange={({ currentTarget }) => change({ [filter.key]: currentTarget.value || undefined })}
    />
  );
}

const SETTLE_MS = 250;

function TextFilter({ filter, value, change }: FilterProps) {
  const [text, setText] = useState(value ?? '');
  const latest = useRef(change);
  latest.current = change;
  useEffect(() => setText(value ?? ''), [value]);
  useEffect(() => {
    if (text === (value ?? '')) return;
    const timer = setTimeout(() => latest.current({ [filter.key]: text || undefined }), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text, value, filter.key]);
  return (
    <TextInput
      data-filter
      className={styles.text}
      aria-label={filter.label}
      placeholder={filter.label}
      leftSection={<IconSearch size={15} />}
      rightSection={text ? <CloseButton size="sm" aria-label="Clear" onClick={() => setText('')} /> : null}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}
