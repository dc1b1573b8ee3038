import { Button, Group, Modal, TextInput } from '@mantine/core';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { faultOf, fieldFaults, queryClient, wordsOf } from '../api/client.ts';
import { useMay } from '../api/may.ts';
import { nameOf as byName, idOf, type Named } from '../api/named.ts';
import type { DeleteOptions } from './delete-action.tsx';
import { endOfTask, taskOf } from './follow-task.tsx';
import styles from './several-rows.module.css';
import type { Selection } from './table.tsx';
import { VerbButton } from './verb-button.tsx';

/** So many are deleted at the same time. */
const SIDE_BY_SIDE = 4;
const NONE: ReadonlySet<string> = new Set();

/** What becomes of one of them. */
interface Outcome {
  readonly state: 'waits' | 'runs' | 'done' | 'failed' | 'stays';
  /** Of those that failed or stay. */
  readonly why?: string;
}

const WORDS: Readonly<Record<Outcome['state'], string>> = {
  waits: 'Waiting',
  runs: 'Running',
  done: 'Done',
  failed: 'Failed',
  stays: 'Stays',
};

/** Lets several rows of a list be chosen, and deletes them after one question that names them.
 *  @param options absent: nothing can be done with several */
export function useSeveralRows<Row extends Named>(
  rows: readonly Row[],
  options: DeleteOptions<Row> | undefined,
): { readonly selection: Selection | undefined; readonly bar: ReactNode } {
  const [keys, setKeys] = useState(NONE);
  const [doomed, setDoomed] = useState<readonly Row[]>();
  const may = useMay();
  const [first] = rows;
  const isOffered =
    options !== undefined && first !== undefined && may(() => options.call(first)) === undefined;
  const toggle = useCallback(
    (key: string) =>
      setKeys((now) => new Set(now.has(key) ? [...now].filter((one) => one !== key) : [...now, key])),
    [],
  );
  const chosen = rows.filter((row) => keys.has(idOf(row)));
  const all = chosen.length === rows.length && rows.length > 0;
  const selection = useMemo<Selection>(
    () => ({
      keys,
      all,
      toggle,
      toggleAll: () => setKeys(all ? NONE : new Set(rows.map(idOf))),
    }),
    [keys, all, toggle, rows],
  );
  if (!isOffered) return { selection: undefined, bar: null };
  const verb = options.instead?.verb ?? 'Delete';
  const bar = (
    <>
      {chosen.length > 0 && (
        <section className={styles.bar} aria-label="Selected rows">
          <span role="status">{chosen.length} selected</span>
          <Button size="xs" color="red" variant="light" onClick={() => setDoomed(chosen)}>
            {verb} {chosen.length}…
          </Button>
          <Button size="xs" variant="subtle" color="gray" onClick={() => setKeys(NONE)}>
            Clear selection
          </Button>
        </section>
      )}
      {doomed && (
        <DeleteSeveral
          rows={doomed}
          verb={verb}
          options={options}
          close={() => {
            setDoomed(undefined);
            setKeys(NONE);
          }}
          keep={() => setDoomed(undefined)}
        />
      )}
    </>
  );
  return { selection, bar };
}

interface DeleteSeveralProps<Row> {
  readonly rows: readonly Row[];
  readonly verb: string;
  readonly options: DeleteOptions<Row>;
  /** When it is done. */
  readonly close: () => void;
  /** When nothing was deleted. */
  readonly keep: () => void;
}

/** Asks once for all, then says of each what becomes of it. */
function DeleteSeveral<Row extends Named>({ rows, verb, options, close, keep }: DeleteSeveralProps<Row>) {
  const { kind, nameOf = byName, consequences, askName, call, disabled } = options;
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>(() =>
    rows.map((row) => {
      const why = disabled?.(row);
      return why === undefined ? { state: 'waits' } : { state: 'stays', why };
    }),
  );
  const [phase, setPhase] = useState<'asks' | 'runs' | 'done'>('asks');
  const [typed, setTyped] = useState('');
  const able = outcomes.filter(({ state }) => state !== 'stays').length;
  const word = `${verb.toLowerCase()} ${able}`;
  const asks = able > 0 && rows.some((row, index) => outcomes[index]?.state !== 'stays' && askName?.(row));
  const set = (at: number, outcome: Outcome) =>
    setOutcomes((now) => now.map((one, index) => (index === at ? outcome : one)));
  const run = async () => {
    setPhase('runs');
    const waiting = outcomes.flatMap(({ state }, index) => (state === 'waits' ? [index] : []));
    const work = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        const row = rows[index];
        if (row === undefined) return;
        set(index, { state: 'runs' });
        const why = await faultIn(call(row));
        set(index, why === undefined ? { state: 'done' } : { state: 'failed', why });
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    setPhase('done');
    void queryClient.invalidateQueries();
  };
  const count = (state: Outcome['state']) => outcomes.filter((one) => one.state === state).length;
  return (
    <Modal
      opened
      onClose={phase === 'asks' ? keep : close}
      title={phase === 'asks' ? `${verb} these ${rows.length}?` : `${verb} ${able}`}
      closeOnEscape={phase !== 'runs'}
      closeOnClickOutside={false}
      withCloseButton={phase !== 'runs'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {phase !== 'asks' && (
          <p role="status" className={styles.sum}>
            {count('done')} of {able} done{count('failed') > 0 && `, ${count('failed')} failed`}
          </p>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
        <ul className={styles.names} aria-label={`Each ${kind}`} tabIndex={0}>
          {rows.map((row, index) => {
            const { state, why } = outcomes[index] ?? { state: 'waits' };
            return (
              <li key={idOf(row)} data-state={state}>
                <strong>{nameOf(row)}</strong>
                {(phase !== 'asks' || state === 'stays') && <span>{WORDS[state]}</span>}
                <div>{why ?? (phase === 'asks' && consequences(row))}</div>
              </li>
            );
          })}
        </ul>
        {phase === 'asks' && asks && (
          <TextInput
            label={`Type ${word} to ${verb.toLowerCase()} them`}
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
            data-autofocus
            autoComplete="off"
          />
        )}
        <Group justify="flex-end" mt="md">
          {phase === 'asks' ? (
            <>
              <Button variant="default" onClick={keep} data-autofocus={asks ? undefined : true}>
                {verb === 'Delete' ? 'Keep them' : 'Leave them'}
              </Button>
              <VerbButton
                type="submit"
                color="red"
                why={whyNot(able, asks && typed !== word ? word : undefined)}
              >
                {verb} {able}
              </VerbButton>
            </>
          ) : (
            <Button loading={phase === 'runs'} onClick={close}>
              Close
            </Button>
          )}
        </Group>
      </form>
    </Modal>
  );
}

function whyNot(able: number, word: string | undefined): string | undefined {
  if (able === 0) return 'None of them can be changed now';
  return word && `Type ${word} first`;
}

/** Makes a call, and waits for the end of its task. @returns why it failed; undefined: it did not */
async function faultIn(call: ReturnType<DeleteOptions<Named>['call']>): Promise<string | undefined> {
  const { data, error } = await call.send().catch((thrown: unknown) => ({ data: undefined, error: thrown }));
  if (error !== undefined) {
    const fault = faultOf(error);
    return [wordsOf(fault), ...fieldFaults(fault)].join('. ');
  }
  const id = taskOf(data);
  if (id === undefined) return undefined;
  const task = await endOfTask(id);
  return task.state === 'ERROR' ? (task.error ?? 'The task gave no reason') : undefined;
}
