import { type TSchema, Type } from '@sinclair/typebox';
import type { Dialect } from './errors.ts';
import { StringEnum } from './schemas.ts';

/** The shapes of errors on the wire, as the OpenAPI document shows them; errors.ts makes them. */

export const Detail = Type.Object(
  {
    detail: Type.String({ description: 'What is missing: a good token, or a role that allows the call' }),
    code: Type.Optional(
      StringEnum(['account_suspended', 'recent_sign_in_required', 'second_factor_required'], {
        description:
          'What the person must do: give the password again, at `POST /virga/v1/session/confirm`; or add a second ' +
          'factor, at `POST /virga/v1/second_factors/authenticators`. Of an account that is suspended, nothing but to ask ' +
          'its operator',
      }),
    ),
  },
  { $id: 'Detail' },
);

const faults = (description: string) =>
  Type.Optional(Type.Record(Type.String(), Type.Array(Type.String()), { description }));

const cloud = {
  exception_class: Type.String({ description: 'The kind of error, for programs' }),
  message: Type.String({ description: 'What is wrong and what to do, for people' }),
  request_id: Type.String({ description: 'Names the request in the log' }),
  invalid_fields: faults('What is wrong with each faulty field, by its dotted path'),
  info: Type.Optional(
    Type.Object(
      {
        attribute: Type.String(),
        current_usage: Type.Integer(),
        requested_usage: Type.Integer(),
        limit: Type.Integer(),
      },
      { description: 'The quota that would be exceeded' },
    ),
  ),
};

const CloudError = Type.Object(cloud, { $id: 'CloudError' });

const IamError = Type.Object(
  { ...cloud, errors: faults('The same as invalid_fields') },
  { $id: 'AccountError' },
);

/** Apart by the fields that they must have. */
const either = ($id: string, error: TSchema) => Type.Unsafe({ $id, oneOf: [Detail, error] });

const problem = {
  type: Type.String({ description: 'The kind of error, for programs' }),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String({ description: 'What is wrong, for people' }),
  errors: Type.Optional(
    Type.Array(
      Type.Object({
        loc: Type.Array(Type.Unsafe<string | number>({ oneOf: [{ type: 'string' }, { type: 'integer' }] }), {
          description: 'The part of the request, then the path of the field in it',
        }),
        detail: Type.String(),
      }),
    ),
  ),
};

const Problem = Type.Object(problem, { $id: 'Problem' });

/** A problem, or the refusal of a role, of which only `detail` is there. */
const ProblemForbidden = Type.Object(
  { ...Type.Partial(Type.Object(problem)).properties, ...Detail.properties },
  { $id: 'ProblemForbidden' },
);

const StorageError = Type.Object(
  {
    error: Type.String(),
    detail: Type.Optional(Type.String({ description: 'The same, of a token that is refused' })),
  },
  { $id: 'StorageError' },
);

const VideoTokenError = Type.Object({ error: Type.String() }, { $id: 'VideoTokenError' });

export interface ErrorDialect {
  readonly schema: TSchema;
  readonly contentType: string;
  /** Fields that are not valid. */
  readonly invalid: 400 | 422;
  /** The shape of 403: the role does not allow it, or something else does not. */
  readonly forbidden: TSchema;
  /** The shape of 401; a body of its own where it differs from `Detail`. */
  readonly refusal: TSchema;
}

const json = 'application/json';

export const ERROR_DIALECTS: Readonly<Record<Dialect, ErrorDialect>> = {
  cloud: {
    schema: CloudError,
    contentType: json,
    invalid: 400,
    forbidden: either('CloudForbidden', CloudError),
    refusal: Detail,
  },
  iam: {
    schema: IamError,
    contentType: json,
    invalid: 400,
    forbidden: either('AccountForbidden', IamError),
    refusal: Detail,
  },
  waap: {
    schema: Problem,
    contentType: 'application/problem+json',
    invalid: 422,
    forbidden: ProblemForbidden,
    refusal: Detail,
  },
  storage: {
    schema: StorageError,
    contentType: json,
    invalid: 400,
    forbidden: StorageError,
    refusal: StorageError,
  },
  video: {
    schema: VideoTokenError,
    contentType: json,
    invalid: 400,
    forbidden: VideoTokenError,
    refusal: VideoTokenError,
  },
};
