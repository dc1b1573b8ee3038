import { type Static, Type } from '@sinclair/typebox';
import { worded } from '../../../platform/http/patterns.ts';
import { Defaulted, Nullable } from '../../../platform/http/schemas.ts';

const STATUSES = worded('^[1-5]([0-9][0-9]|xx)$', 'must be a status such as 404, or a class such as 5xx');

export const AccessLogQuery = Type.Object({
  limit: Defaulted(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      default: 200,
      description: 'How many lines at most, the last ones.',
    }),
  ),
  status: Type.Optional(
    Type.String({ pattern: STATUSES, description: 'Lines of this status: `404`, `5xx`.' }),
  ),
  text: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Lines that have this text, in capitals or lowercase letters.',
    }),
  ),
});
export type AccessLogQuery = Static<typeof AccessLogQuery>;

const text = (description: string) => Nullable(Type.String(), { description });
const count = (description: string) => Nullable(Type.Integer(), { description });

const Line = Type.Object(
  {
    at: text('When the request or connection was over; null: the line does not say'),
    client: text('Address and port of who asked'),
    listener_id: text('The listener that accepted it'),
    pool_id: text('The pool that it was sent to; null: to none'),
    member_id: text('The member that answered; null: none did'),
    status: count('What was answered; null: it is a connection, not a request'),
    bytes: count('Bytes that were sent to the client'),
    milliseconds: count('How long it took in all'),
    request: text('The first line of the request'),
    text: Type.String({ description: 'The line as it was written' }),
  },
  { $id: 'AccessLogLine' },
);

export const AccessLog = Type.Object(
  {
    lines: Type.Array(Line, { description: 'The oldest first' }),
    is_all: Type.Boolean({ description: 'Whether there are no earlier lines; false: there may be' }),
    unavailable: text('Why there are none to show; null: there can be'),
  },
  { $id: 'LoadBalancerAccessLog' },
);
