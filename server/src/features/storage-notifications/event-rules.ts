import type { Faults } from '../../kernel/faults.ts';
import { isUuid } from '../../kernel/ids.ts';
import { UUID_RULE } from '../../kernel/rules.ts';
import { type EventName, KINDS, type ThresholdField } from './model.ts';
import type { EventInput, EventsInput } from './schema.ts';

/** What a client says about one event, after the rules that a schema cannot express. */
export interface RequestedEvent {
  readonly name: EventName;
  /** Absent: found by name and place, or new. */
  readonly uuid: string | undefined;
  /** Absent: stays where it is; only together with a uuid. */
  readonly scope: { readonly storage_name: string; readonly bucket_name: string } | undefined;
  readonly threshold: number;
  /** Where it stands in the request, for messages: `reaching_used_space.0.` or nothing. */
  readonly path: string;
}

/** Which event is meant. Empty text counts as absent, as typed clients send it. */
export function readTarget(input: Omit<EventInput, 'name'>, path: string, faults: Faults) {
  const uuid = input.uuid || undefined;
  const storage = input.storage_name || undefined;
  if (uuid !== undefined && !isUuid(uuid)) faults.add(`${path}uuid`, UUID_RULE);
  if (storage === undefined && input.bucket_name) {
    faults.add(`${path}storage_name`, 'is required with a bucket_name');
  } else if (storage === undefined && uuid === undefined) {
    faults.add(`${path}storage_name`, 'is required, or the uuid of an event');
  }
  const scope =
    storage === undefined ? undefined : { storage_name: storage, bucket_name: input.bucket_name ?? '' };
  return { uuid: uuid?.toLowerCase(), scope };
}

/** @param faults what is wrong is added here; the result is of use only when there is nothing */
export function readEvent(
  name: EventName,
  input: Omit<EventInput, 'name'>,
  path: string,
  faults: Faults,
): RequestedEvent {
  const { field } = KINDS[name];
  const other: ThresholdField = field === 'bytes' ? 'count' : 'bytes';
  const threshold = input[field];
  if (threshold === undefined) faults.add(`${path}${field}`, `is required for ${name}`);
  else if (threshold === 0) faults.add(`${path}${field}`, 'must be at least 1');
  if (input[other]) faults.add(`${path}${other}`, `does not belong to ${name}; its threshold is ${field}`);
  return { name, ...readTarget(input, path, faults), threshold: threshold ?? 0, path };
}

/** Adds what is wrong with one event, as far as it is given. */
export function checkEvent({ name, ...input }: Partial<EventInput>, faults: Faults): void {
  if (name === undefined) readTarget(input, '', faults);
  else readEvent(name, input, '', faults);
}

/** All events of a request with several. */
export function readEvents(input: EventsInput, faults: Faults): RequestedEvent[] {
  const requested: RequestedEvent[] = [];
  for (const name of Object.keys(KINDS) as EventName[]) {
    for (const [i, event] of (input[name] ?? []).entries()) {
      requested.push(readEvent(name, event, `${name}.${i}.`, faults));
    }
  }
  return requested;
}
