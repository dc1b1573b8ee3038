import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../server/src/platform/database/sql.ts';
import type { TaskView } from '../harness/server.ts';
import { type Fault, type FaultLocation, type Kind, REASON, type Reach } from './faults.ts';
import { type Attempt, type Ending, Fixture } from './fixture.ts';
import { scenarios } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';
import { crashing, crashingUndo, frozen, once, twice } from './steps.ts';
import { difference, leftovers, type Snapshot } from './world.ts';

/** Every handler is run twice, crashed between its calls and its commit, frozen, delayed and failed everywhere.
 *  Then it has converged, or everything is as if it had never been asked. */

let fixture: Fixture;

beforeAll(async () => {
  fixture = await Fixture.open();
});

afterAll(() => fixture.close());

test('every task type has a scenario, and every scenario a task type', () => {
  const registered = fixture.server.app.handlers.map(({ type }) => type);
  const known = Object.keys(scenarios).map(typeOf);
  expect(new Set(registered).size, 'two handlers of one type').toBe(registered.length);
  expect(
    registered.filter((type) => !known.includes(type)),
    'These task types have no scenario. Say in test/handlers/scenarios how such a task is started, for example ' +
      "`create_thing: { start: () => post('/cloud/v1/things/1/2', { name: 'x' }) }`; the harness does the rest",
  ).toEqual([]);
  expect(
    known.filter((type) => !registered.includes(type)),
    'scenarios of task types that do not exist',
  ).toEqual([]);
});

/** A type may have several scenarios, distinguished by what follows its name. */
function typeOf(name: string): string {
  return name.split(' ')[0] ?? name;
}

/** What an undisturbed run of the task does. */
interface Reference {
  readonly scenario: Scenario;
  readonly before: Snapshot;
  readonly prepared: readonly string[];
  readonly end: Ending;
  readonly calls: Readonly<Record<FaultLocation, readonly Reach[]>>;
}

describe.each(Object.entries(scenarios))('%s', (name, scenario) => {
  const type = typeOf(name);
  let reference: Reference;

  beforeAll(async () => {
    const { before, prepared } = await fixture.prepare(scenario);
    await fixture.from(before);
    const end = await fixture.attempt(scenario.start(...prepared));
    const calls = {
      provider: [...fixture.faults.calls('provider')],
      database: [...fixture.faults.calls('database')],
    };
    reference = { scenario, before, prepared, end, calls };
  });

  test('does something, and leaves no lock', () => {
    expect(reference.end.task).toMatchObject({ task_type: type, state: 'FINISHED', error: null });
    expect(leftovers(reference.end.world, reference.end.task.id)).toEqual([]);
    const { before, end, calls } = reference;
    const changed = difference(before, end.world) !== undefined;
    expect(changed || calls.provider.some(({ changes }) => changes)).toBe(true);
  });

  test('names in its data the resource that it is about, as clients read it there', () => {
    const { subject, data } = reference.end.task;
    if (subject === null) throw new Error(`no resource is known that ${type} is about`);
    const names = Object.entries(data ?? {}).filter(([, id]) => String(id) === subject.id);
    expect(names.map(([key]) => key)).toEqual(
      expect.arrayContaining(['resource_id', expect.stringMatching(/_id$/)]),
    );
    expect(names.length, `no name for the id of ${subject.type} in ID_NAMES`).toBeGreaterThan(1);
    if (subject.parent) expect(Object.values(data ?? {})).toContain(subject.parent.id);
  });

  test('names its task to whoever asks for the same meanwhile', async () => {
    await fixture.from(reference.before);
    const call = scenario.start(...reference.prepared);
    const id = await fixture.accepted(call);
    const second = await fixture.call(call);
    // Whoever waits for the end of the task has it now, and not when its patience ends.
    if (call.waits) await fixture.goOn(id);
    if (second.status !== 409) return expect(second.status).toBeLessThan(300);
    const message: string = second.body.message ?? second.body.error;
    // What is reserved stays reserved; a lock ends with its task.
    if (second.headers['x-should-retry'] === 'false')
      return expect(message).toMatch(/already|overlaps|in use/);
    expect(message).toContain(id);
    expect(message).toContain(type);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('says what it is about, which waits for it', async () => {
    await fixture.from(reference.before);
    const call = scenario.start(...reference.prepared);
    const id = await fixture.accepted(call);
    const read = (path: string) => fixture.server.call('GET', path);
    const { subject }: TaskView = (await read(`/cloud/v1/tasks/${id}`)).body;
    const locks = await read(`/virga/v1/tasks/${id}/locks?limit=1000`);
    // Whoever waits for the end of the task has it now, and not when its patience ends.
    if (call.waits) await fixture.goOn(id);
    expect(locks).toMatchObject({ status: 200 });
    const locked = (locks.body.results as { type: string; id: string }[]).map(
      (one) => `${one.type} ${one.id}`,
    );
    const about = [subject, subject?.parent].flatMap((one) => (one ? `${one.type} ${one.id}` : []));
    expect(locked.filter((one) => about.includes(one))).not.toEqual([]);
    expect(subject?.name, 'what has no name says null').not.toBe('');
    // Where it is locked itself, it is called the same.
    const others = locked.filter((one) => one.endsWith(` ${subject?.id}`));
    expect(others).toEqual(others.filter((one) => about.includes(one)));
  });

  test('ends the same when every step is done twice', async () => {
    await converges(reference, { runOf: twice });
  });

  test('ends the same when the worker dies before writing down any step', async () => {
    await converges(reference, { runOf: crashing });
  });

  test('ends the same when the worker freezes in any step and another one takes over', async () => {
    const other = fixture.engine(once(fixture.faults));
    const meanwhile = async (id: string) => {
      for (let i = 0; i < reference.end.steps; i++) await fixture.step(other, id);
    };
    await converges(reference, { runOf: (faults) => frozen(faults, meanwhile) });
  });

  test('ends the same when any call is lost, or does its work and is not heard of again', async () => {
    const places = ['provider', 'database'] as const;
    const faults = places.flatMap((location) =>
      (['lost', 'unheard'] as const).flatMap((kind) => everyCall(reference, location, kind)),
    );
    await each(faults, (fault) => converges(reference, { fault }));
  });

  test('leaves nothing behind when any call is refused, and can be started again', async () => {
    const kinds = ['refused', 'refused when done', 'refused again and again'] as const;
    const faults = kinds.flatMap((kind) => everyCall(reference, 'provider', kind));
    await each(faults, (fault, index) =>
      isGone(reference, { fault, runOf: crashingUndo }, REASON, index === 0),
    );
  });

  test('leaves nothing behind when its deadline passes after any step, and can be started again', async () => {
    const steps = Array.from({ length: reference.end.steps }, (_, step) => step);
    const reason = `${type} was not done within`;
    await each(steps, (lateAfter) => isGone(reference, { lateAfter }, reason, lateAfter === 0));
  });

  test('is undone by the watchdog when it hangs, and can be started again', async () => {
    await fixture.from(reference.before);
    const id = await fixture.accepted(scenario.start(...reference.prepared));
    fixture.faults.arm();
    await fixture.hang(id);
    await fixture.server.app.watchdog.run();
    expect((await fixture.task(id)).state, 'one that is not late is left alone').toBe('RUNNING');
    await fixture.age(id);
    await fixture.server.app.watchdog.run();
    const { task, world } = await fixture.goOn(id);
    expect(task.error).toContain(`${type} was not done within`);
    await leavesNothing(reference, { task, world }, true);
  });

  test('is ended by the watchdog when it hangs while it is undone, and holds nothing any more', async () => {
    await fixture.from(reference.before);
    const id = await fixture.accepted(scenario.start(...reference.prepared));
    for (let look = 0; look < 2; look += 1) {
      await fixture.hang(id);
      await fixture.age(id);
      await fixture.server.app.watchdog.run();
    }
    const task = await fixture.task(id);
    expect(task).toMatchObject({ state: 'ERROR', created_resources: null });
    expect(task.error).toContain(`${type} was not done within`);
    expect(leftovers(await fixture.snapshot(), id), LET_GO).toEqual([]);
  });

  test('leaves no lock when it is lost, and can be asked for again', async () => {
    await fixture.from(reference.before);
    const id = await fixture.accepted(scenario.start(...reference.prepared));
    expect(leftovers(await fixture.snapshot(), id)).not.toEqual([]);
    await fixture.server.db.run(sql`delete from tasks where id = ${id}`);
    await fixture.server.app.watchdog.run();
    expect(leftovers(await fixture.snapshot(), id), LET_GO).toEqual([]);
    // What was being created or moved is where it was to be; what a failure leaves is known to the scenario.
    if (/^(create|attach|detach|put_into)_/.test(type) || scenario.failureLeaves !== undefined) return;
    const again = await fixture.accepted(scenario.start(...reference.prepared));
    expect((await fixture.goOn(again)).task).toMatchObject({ state: 'FINISHED' });
  });
});

/** For whoever adds a resource. */
const LET_GO =
  'the `held` of the feature says what becomes of such a row when its task is lost: see docs/adding-a-resource.md';

function everyCall({ calls }: Reference, location: FaultLocation, kind: Kind): Fault[] {
  const done = kind === 'unheard' || kind === 'refused when done';
  return calls[location].flatMap(({ name, changes }, index) =>
    changes || !done ? [{ location, kind, at: index + 1, name }] : [],
  );
}

/** All that went wrong, not only the first. */
async function each<T>(cases: readonly T[], prove: (one: T, index: number) => Promise<void>): Promise<void> {
  const wrong: string[] = [];
  for (const [index, one] of cases.entries()) {
    await prove(one, index).catch((error: Error) => wrong.push(`${JSON.stringify(one)}: ${error.message}`));
  }
  expect(wrong.slice(0, 3).join('\n\n'), `${wrong.length} of ${cases.length} went wrong`).toBe('');
}

async function converges({ scenario, before, prepared, end }: Reference, attempt: Attempt): Promise<void> {
  await fixture.from(before);
  const { task, world } = await fixture.attempt(scenario.start(...prepared), attempt);
  if (task.state !== 'FINISHED') throw new Error(`it ended in ${task.state}: ${task.error}`);
  same(scenario, end.world, world, 'it did not end as it does undisturbed');
  const created = (resources: unknown) => JSON.stringify(resources);
  expect(created(task.created_resources)).toBe(created(end.task.created_resources));
}

/** @param again whether it is started again also where everything is as it was */
async function isGone(reference: Reference, attempt: Attempt, reason: string, again: boolean): Promise<void> {
  const { scenario, before, prepared, end } = reference;
  await fixture.from(before);
  const { task, world } = await fixture.attempt(scenario.start(...prepared), attempt);
  // Providers may be refused by something that does not matter to the task.
  if (task.state === 'FINISHED')
    return same(scenario, end.world, world, 'it finished, but not as undisturbed');
  expect(task.error).toContain(reason);
  await leavesNothing(reference, { task, world }, attempt.fault?.kind !== 'refused again and again', again);
}

/** @param asBefore whether everything must be as it was, unless the scenario says otherwise
 *  @param again whether it is started again also where everything is as it was: then it ends as it does undisturbed,
 *    which is tried once */
async function leavesNothing(
  { scenario, before, prepared, end }: Reference,
  { task, world }: Pick<Ending, 'task' | 'world'>,
  asBefore: boolean,
  again = true,
): Promise<void> {
  expect(task.created_resources).toBeNull();
  const left = leftovers(world, task.id);
  if (left.length > 0) throw new Error(left.join('\n'));
  if (scenario.failureLeaves === undefined && asBefore) {
    same(scenario, before, world, 'it did not leave everything as it was before');
    if (!again) return;
  }
  await fixture.forget(task.id);
  const second = await fixture.attempt(scenario.start(...prepared));
  if (second.task.state !== 'FINISHED') throw new Error(`started again it failed: ${second.task.error}`);
  same(scenario, end.world, second.world, 'started again it did not end as it does undisturbed');
}

function same({ blur = [] }: Scenario, expected: Snapshot, actual: Snapshot, what: string): void {
  const different = difference(expected, actual, blur);
  if (different !== undefined) throw new Error(`${what}:\n${different}`);
}
