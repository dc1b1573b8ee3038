import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { faultOf, type Schemas } from '../../api/client.ts';
import { operatorApi, operatorCall } from '../../api/operator.ts';
import { regionsQuery } from '../../app/home.ts';
import { numberField, optionField } from '../../ui/fields.ts';
import type { Column } from '../../ui/list-page.tsx';
import { NounPage } from '../../ui/noun-page.tsx';
import { optionsOf, withDistinctLabels } from '../../ui/options.ts';
import { useRouting } from '../../ui/routing.tsx';
import type { FormOptions, Values } from '../../ui/side-form.tsx';
import { given, text } from '../../ui/side-form.tsx';
import { Time } from '../../ui/time.tsx';
import { number } from '../../ui/values.ts';

const FAULTS = '/virga/v1/simulation/{region_id}/faults';

type Fault = Schemas['SimulatedFault'];
type NewFault = Schemas['NewSimulatedFault'];

const words = (kind: string) => {
  const text = kind.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

const WHICH = optionsOf({
  all: 'Every time',
  next: 'The next so many times',
  first: 'The first so many times of each name',
  every: 'Each n-th time',
  rate: 'A share of the names',
});

function whichOf({ next, first, every, rate, name }: Fault): string {
  const which =
    next !== undefined
      ? `the next ${next}`
      : first !== undefined
        ? `the first ${first} of each name`
        : every !== undefined
          ? `each ${every}th`
          : rate !== undefined
            ? `${Math.round(rate * 100)} % of the names`
            : 'every time';
  return name === undefined ? which : `${which}, of ${name}`;
}

const fails = ({ fail, delay_seconds }: Fault) => fail ?? delay_seconds === undefined;

const effectOf = (fault: Fault) =>
  [
    ...(fault.delay_seconds === undefined ? [] : [`takes ${fault.delay_seconds} s longer`]),
    ...(fails(fault) ? [fault.message ? `fails: ${fault.message}` : 'fails'] : []),
  ].join(', then ');

const COLUMNS: readonly Column<Fault>[] = [
  { label: 'What', cell: ({ kind }) => words(kind) },
  { label: 'Which', cell: whichOf },
  { label: 'Effect', cell: effectOf },
  {
    label: 'Affected',
    cell: ({ struck, attempts }) => (attempts > 0 ? `${struck} of ${attempts}` : 'not counted'),
    end: true,
  },
  {
    label: 'Set',
    cell: ({ created_at, source }) =>
      source === 'file' ? 'in the file of regions' : <Time at={created_at} />,
  },
];

/** What shall go wrong in a simulated region. */
export function Simulation() {
  const { useSearch, changeSearch } = useRouting();
  const { region: chosen } = useSearch();
  const known = useQuery(regionsQuery());
  const regions = known.data?.results ?? [];
  // Machines are what simulated regions have and others may lack.
  const region = Number(chosen ?? (regions.find(({ has_kvm }) => has_kvm) ?? regions[0])?.id ?? 0);
  const path = { region_id: region };
  const result = useQuery({
    ...operatorApi.queryOptions('get', FAULTS, { params: { path } }),
    enabled: region > 0,
    placeholderData: () => undefined,
  });
  const real = isRefused(result.error) ? faultOf(result.error).message : undefined;
  const listed = result as { data: { count: number; results: Fault[] } | undefined };
  // Without regions there is nothing to ask about.
  const unread = region === 0 && known.error ? known : result.error ? result : undefined;
  return (
    <NounPage<Fault, NewFault>
      title="Simulation"
      about="Lets tasks of a simulated region fail or take longer, so that you see how your programs handle it."
      result={{
        ...result,
        ...(real ? { data: { count: 0, results: [] }, error: null, isPending: false } : listed),
        ...(unread === known ? { error: known.error, isPending: false, refetch: known.refetch } : {}),
      }}
      columns={COLUMNS}
      createDisabled={real ?? (unread && 'What a fault can apply to could not be read')}
      head={
        <Select
          aria-label="Region"
          data={withDistinctLabels(
            regions.map(({ id, display_name }) => ({ value: String(id), label: display_name })),
          )}
          value={region > 0 ? String(region) : null}
          onChange={(next) => void changeSearch(() => ({ region: next ?? undefined }))}
          allowDeselect={false}
        />
      }
      remove={{
        kind: 'fault',
        nameOf: ({ kind }) => words(kind),
        consequences: () => 'Tasks that begin from now on are not affected.',
        call: ({ id }) =>
          operatorCall('delete', `${FAULTS}/{fault_id}`, { params: { path: { ...path, fault_id: id } } }),
      }}
      empty={
        real
          ? { title: 'Nothing can be set here', about: real }
          : {
              title: 'Nothing goes wrong here',
              about: 'Set a fault to see what becomes of a task that fails, or that takes its time.',
            }
      }
      form={formOf(region, result)}
    />
  );
}

/** What can be struck, or why that could not be read. */
interface Requested {
  readonly data: { readonly kinds: readonly string[] } | undefined;
  readonly error: unknown;
}

const isRefused = (error: unknown) =>
  typeof error === 'object' &&
  error !== null &&
  'exception_class' in error &&
  error.exception_class === 'ForbiddenError';

const formOf = (region: number, from: Requested): FormOptions<NewFault> => ({
  title: 'Set fault',
  fields: [
    optionField(
      'kind',
      'Applies to',
      (from.data?.kinds ?? []).map((value) => ({ value, label: words(value) })),
      { initial: 'create_loadbalancer', from },
    ),
    { key: 'name', label: 'Only what has this name', about: 'Empty: every name', kind: 'text' },
    optionField('which', 'How often', WHICH, { initial: 'next' }),
    numberField('times', 'Count', {
      min: 1,
      initial: 1,
      fault: ['next', 'first', 'every'],
      when: ({ which }) => which === 'next' || which === 'first' || which === 'every',
    }),
    numberField('percent', 'Share in percent', {
      about: 'Which names they are stays the same',
      min: 0,
      max: 100,
      initial: 50,
      fault: 'rate',
      when: ({ which }) => which === 'rate',
    }),
    { key: 'delay_seconds', label: 'Delay in seconds', kind: 'number', min: 0 },
    { key: 'fail', label: 'It fails', kind: 'switch', initial: true },
    {
      key: 'message',
      label: 'Error message',
      about: 'Empty: which kind of which name failed',
      kind: 'text',
      when: ({ fail }) => fail === true,
    },
  ],
  body: bodyOf,
  request: (body) => operatorCall('post', FAULTS, { params: { path: { region_id: region } }, body }),
});

function bodyOf(values: Values): NewFault {
  const which = text(values, 'which');
  const times = number(values, 'times') ?? 1;
  return {
    kind: text(values, 'kind'),
    fail: values.fail === true,
    ...given({
      name: text(values, 'name'),
      delay_seconds: number(values, 'delay_seconds'),
      message: values.fail === true ? text(values, 'message') : '',
    }),
    ...(which === 'rate' ? { rate: (number(values, 'percent') ?? 0) / 100 } : {}),
    ...(which === 'next' || which === 'first' || which === 'every' ? { [which]: times } : {}),
  };
}
