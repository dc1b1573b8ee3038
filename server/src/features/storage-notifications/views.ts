import { EVENT_NAMES, type EventName, KINDS, type StoredEvent } from './model.ts';

type Place = Pick<StoredEvent, 'bucket_name' | 'storage_name' | 'uuid'>;
type Threshold = { readonly bytes?: number; readonly count?: number };

function place({ bucket_name, storage_name, uuid, name, threshold }: StoredEvent): Place & Threshold {
  return { bucket_name, storage_name, uuid, [KINDS[name].field]: threshold };
}

export function viewEvent(event: StoredEvent): Place & Threshold & { readonly name: EventName } {
  return { name: event.name, ...place(event) };
}

/** All events by kind; every kind is there. */
export function viewEvents(events: readonly StoredEvent[]) {
  const entries = EVENT_NAMES.map((name) => [name, events.filter((event) => event.name === name).map(place)]);
  return Object.fromEntries(entries) as Record<EventName, (Place & Threshold)[]>;
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
