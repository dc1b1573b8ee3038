import type { EventSourceMessage } from 'eventsource-parser';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { errorOf } from './errors.ts';

export type Events = ReadableStreamDefaultReader<EventSourceMessage>;

/** The events of an answer; undefined: it is no stream. */
export function eventsIn({ ok, headers, body }: Response): Events | undefined {
  if (!ok || !body || !headers.get('content-type')?.startsWith('text/event-stream')) return undefined;
  const text: ReadableStream<string> = body.pipeThrough(new TextDecoderStream());
  return text.pipeThrough(new EventSourceParserStream()).getReader();
}

/** @throws VirgaError when it is refused, or is no stream */
export async function* eventsOf(open: () => Promise<Response>): AsyncGenerator<EventSourceMessage> {
  const response = await open();
  const events = eventsIn(response);
  if (!events) throw await errorOf(response);
  try {
    for (;;) {
      const { value, done } = await events.read();
      if (done) return;
      yield value;
    }
  } finally {
    await events.cancel().catch(() => {});
  }
}
