import { EVENT_NAMES, type EventName, KINDS, type StoredEvent } from './model.ts';

type EventScope = Pick<StoredEvent, 'bucket_name' | 'storage_name' | 'uuid'>;
type Threshold = { readonly bytes?: number; readonly count?: number };

function viewPlain({
  bucket_name,
  storage_name,
  uuid,
  name,
  threshold,
}: StoredEvent): EventScope & Threshold {
  return { bucket_name, storage_name, uuid, [KINDS[name].field]: threshold };
}

export function viewEvent(event: StoredEvent): EventScope & Threshold & { readonly name: EventName } {
  return { name: event.name, ...viewPlain(event) };
}

/** All events by kind; every kind is there. */
export function viewEvents(events: readonly StoredEvent[]) {
  const entries = EVENT_NAMES.map((name) => [
    name,
    events.filter((event) => event.name === name).map(viewPlain),
  ]);
  return Object.fromEntries(entries) as Record<EventName, (EventScope & Threshold)[]>;
}

/** Which kinds of events there are, and what each is made of. */
export function viewConfigurator() {
  const text = ['storage_name', 'bucket_name', 'uuid'].map((name) => ({ name, type: 'string' }));
  return {
    structure: EVENT_NAMES.map((name) => ({
      name,
      fields: [{ name: KINDS[name].field, type: 'uint64' }, ...text],
    })),
  };
}
