import {
  Autocomplete,
  MultiSelect,
  NumberInput,
  Select,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { type Option, withDistinctLabels } from './options.ts';
import { unread } from './unread.ts';

export type { Option };

export type Value = string | number | boolean | readonly string[];
export type Values = Readonly<Record<string, Value>>;

/** Options that come from the API. */
export interface Choices {
  /** The same for the same options. */
  readonly key: string;
  /** @param part of the name, where the server searches; empty: any */
  readonly load: (part: string) => Promise<readonly Option[]>;
  /** The server finds more than it offers at once, by a part of the name. */
  readonly isSearched?: boolean;
  /** What is missing when there are none. */
  readonly none?: string;
}

export interface Field {
  readonly key: string;
  readonly label: string;
  readonly kind:
    | 'text'
    | 'area'
    | 'number'
    | 'choice'
    | 'choices'
    | 'list'
    | 'tags'
    | 'switch'
    | 'password'
    | 'moment'
    | 'time';
  readonly about?: string;
  readonly required?: boolean;
  readonly initial?: Value;
  readonly options?: readonly Option[];
  /** What the options come from, where the page has asked for it. */
  readonly from?: { readonly data: unknown; readonly error: unknown };
  readonly choices?: Choices;
  /** Use the first of the choices until another is chosen. */
  readonly first?: boolean;
  readonly placeholder?: string;
  readonly min?: number;
  readonly max?: number;
  /** Shown only when this holds. */
  readonly when?: (values: Values) => boolean;
  /** What stands below it: a button that makes or fills in what can be chosen. */
  readonly beside?: (change: (value: Value) => void, value: Value) => ReactNode;
  /** The name of the field in the API's faults, where it differs from `key`. */
  readonly fault?: string | readonly string[];
}

const SEVERAL: readonly Field['kind'][] = ['choices', 'list', 'tags'];

/** The browser's own input of a kind. A moment is one of the person's zone, to the second. */
const INPUTS: Partial<Record<Field['kind'], string>> = {
  password: 'password',
  moment: 'datetime-local',
  time: 'time',
};

export const initialValue = ({ kind, initial }: Field): Value =>
  initial ?? (kind === 'switch' ? false : SEVERAL.includes(kind) ? [] : '');

export interface FieldInputProps {
  readonly field: Field;
  readonly first: boolean;
  readonly value: Value;
  readonly error: string | undefined;
  readonly change: (value: Value) => void;
}

/** One field of a form, whichever kind it is of, and what stands below it. */
export function FieldInput(props: FieldInputProps) {
  return (
    <>
      <Input {...props} />
      {props.field.beside?.(props.change, props.value)}
    </>
  );
}

function Input(props: FieldInputProps) {
  const { field, first, value, error, change } = props;
  const common = {
    label: field.label,
    description: field.about,
    required: field.required ?? false,
    error,
    placeholder: field.placeholder,
    'data-autofocus': first || undefined,
  };
  switch (field.kind) {
    case 'number':
      return (
        <NumberInput
          {...common}
          {...(field.min === undefined ? {} : { min: field.min })}
          {...(field.max === undefined ? {} : { max: field.max })}
          value={value as number | string}
          onChange={(next) => change(typeof next === 'bigint' ? Number(next) : next)}
        />
      );
    case 'choice':
    case 'choices':
      return <Choice {...props} common={common} />;
    case 'list':
    case 'tags':
      return (
        <TagsInput
          {...common}
          placeholder={field.placeholder ?? (field.kind === 'tags' ? 'key=value, then Enter' : undefined)}
          value={[...(value as readonly string[])]}
          onChange={change}
          acceptValueOnBlur
        />
      );
    case 'switch':
      return (
        <Switch
          label={field.label}
          description={field.about}
          error={error}
          checked={value as boolean}
          onChange={(event) => change(event.currentTarget.checked)}
        />
      );
    case 'area':
      return (
        <Textarea
          {...common}
          autosize
          minRows={4}
          maxRows={12}
          value={value as string}
          onChange={(event) => change(event.currentTarget.value)}
        />
      );
    case 'text':
      if (field.choices || field.options) return <Suggested {...props} common={common} />;
  }
  return (
    <TextInput
      {...common}
      type={INPUTS[field.kind] ?? 'text'}
      {...(field.kind === 'moment' ? { step: 1 } : {})}
      autoComplete="off"
      value={value as string}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** A text for which there are suggestions. */
function Suggested({ field, value, change, common }: FieldInputProps & { readonly common: object }) {
  const { data } = useChoices(field);
  return (
    <Autocomplete
      {...common}
      openOnFocus={false}
      autoComplete="off"
      data={[...new Set(data.map((one) => one.value))]}
      value={value as string}
      onChange={change}
    />
  );
}

/** Nobody is asked while somebody still types. */
const PAUSE_MS = 200;

/** The options of a field, those of the API once they are there.
 *  @param typed what is searched for, where the server searches */
export function useChoices(
  { options, choices, from }: Pick<Field, 'options' | 'choices' | 'from'>,
  typed = '',
) {
  const [part] = useDebouncedValue(choices?.isSearched ? typed.trim() : '', PAUSE_MS);
  const loaded = useQuery({
    queryKey: ['choices', choices?.key, part],
    queryFn: () => choices?.load(part) ?? [],
    enabled: choices !== undefined,
  });
  // What is chosen keeps its name while something else is searched for.
  const [known, setKnown] = useState<readonly Option[]>([]);
  useEffect(() => {
    if (loaded.data) setKnown((before) => [...before, ...loaded.data]);
  }, [loaded.data]);
  return {
    data: withDistinctLabels(choices ? [...(loaded.data ?? []), ...known] : (options ?? [])),
    pending: choices ? loaded.isPending : from !== undefined && from.data === undefined,
    fault: unread(from ?? loaded),
  };
}

function Choice({ field, value, error, change, common }: FieldInputProps & { readonly common: object }) {
  const [typed, setTyped] = useState('');
  const { data, pending, fault } = useChoices(field, typed);
  const [head] = data;
  useEffect(() => {
    if (field.first && value === '' && head) change(head.value);
  }, [field.first, value, head, change]);
  const empty = data.length === 0 && !pending && !fault;
  const both = {
    ...common,
    ...(empty ? { placeholder: field.choices?.none ?? 'None is there' } : {}),
    error: error ?? fault,
    // Where it was refused, its choices would lie upon why.
    openOnFocus: false,
    data,
    searchable: true,
    // The name of what is chosen stands there as if it were typed.
    onSearchChange: (text: string) =>
      setTyped(data.some((one) => one.value === value && one.label === text) ? '' : text),
  };
  if (field.kind === 'choices') {
    return <MultiSelect {...both} value={[...(value as readonly string[])]} onChange={change} clearable />;
  }
  return (
    <Select
      {...both}
      value={(value as string) || null}
      onChange={(next) => change(next ?? '')}
      clearable={!field.required}
      allowDeselect={!field.required}
    />
  );
}
