import { type Static, Type } from '@sinclair/typebox';
import { NAME_PATTERN } from '../../../kernel/codecs.ts';
import {
  ListOf,
  ListQuery,
  Nullable,
  RegionParams,
  SCOPE,
  StringEnum,
  Uuid,
} from '../../../platform/http/schemas.ts';
import { OperatingStatus, ProvisioningStatus } from '../schema-parts.ts';

/** L7 policies on the wire. Each action has a body of its own, so that a redirect without its target is refused
 *  by name. */

export const POLICY_ACTIONS = ['REDIRECT_PREFIX', 'REDIRECT_TO_POOL', 'REDIRECT_TO_URL', 'REJECT'] as const;
export type PolicyAction = (typeof POLICY_ACTIONS)[number];

export const REDIRECT_CODES = [301, 302, 303, 307, 308] as const;

/** What every action has; `listener_id` is there when a policy is created. */
export interface PolicyFields {
  readonly listener_id?: string;
  readonly name?: string;
  readonly position?: number;
  readonly tags?: readonly string[];
}

export type PolicyTarget =
  | {
      readonly action: 'REDIRECT_TO_URL';
      readonly redirect_url: string;
      readonly redirect_http_code?: number;
    }
  | {
      readonly action: 'REDIRECT_PREFIX';
      readonly redirect_prefix: string;
      readonly redirect_http_code?: number;
    }
  | { readonly action: 'REDIRECT_TO_POOL'; readonly redirect_pool_id: string }
  | { readonly action: 'REJECT' };

export type CreatePolicy = PolicyFields & PolicyTarget & { readonly listener_id: string };
export type UpdatePolicy = PolicyFields & PolicyTarget;

/** Characters of a target, in the configuration of an engine. */
const LONGEST_TARGET = 2048;

const code = { redirect_http_code: { type: 'integer', enum: REDIRECT_CODES, default: 302 } };
const target = { type: 'string', maxLength: LONGEST_TARGET };
const uuid = { type: 'string', format: 'uuid' };

interface Branch {
  /** In the names of its schemas. */
  readonly name: string;
  readonly properties: object;
  readonly required: readonly string[];
}

/** Beside the common fields, what each action has, and must have. */
const BRANCHES: Readonly<Record<PolicyAction, Branch>> = {
  REDIRECT_TO_URL: {
    name: 'RedirectToUrl',
    properties: { redirect_url: target, ...code },
    required: ['redirect_url'],
  },
  REDIRECT_PREFIX: {
    name: 'RedirectPrefix',
    properties: { redirect_prefix: target, ...code },
    required: ['redirect_prefix'],
  },
  REDIRECT_TO_POOL: {
    name: 'RedirectToPool',
    properties: { redirect_pool_id: uuid },
    required: ['redirect_pool_id'],
  },
  REJECT: { name: 'Reject', properties: {}, required: [] },
};

function body<T>($id: string, own: Readonly<Record<string, object>>) {
  const common = {
    ...own,
    name: { type: 'string', pattern: NAME_PATTERN },
    position: { type: 'integer', exclusiveMinimum: 0 },
    tags: { type: 'array', items: { type: 'string' } },
  };
  return Type.Unsafe<T>({
    $id,
    type: 'object',
    required: ['action'],
    discriminator: { propertyName: 'action' },
    oneOf: Object.entries(BRANCHES).map(([action, { name, properties, required }]) => ({
      $id: `${$id}${name}`,
      type: 'object',
      required: ['action', ...Object.keys(own), ...required],
      properties: { action: { type: 'string', const: action }, ...common, ...properties },
    })),
  });
}

export const CreatePolicy = body<CreatePolicy>('CreateL7Policy', { listener_id: uuid });
export const UpdatePolicy = body<UpdatePolicy>('UpdateL7Policy', {});

export const Policy = Type.Object(
  {
    id: Uuid(),
    ...SCOPE,
    listener_id: Uuid(),
    name: Type.String(),
    action: StringEnum(POLICY_ACTIONS),
    position: Type.Integer({ exclusiveMinimum: 0 }),
    redirect_url: Nullable(Type.String()),
    redirect_prefix: Nullable(Type.String()),
    redirect_pool_id: Nullable(Type.String()),
    redirect_http_code: Nullable(Type.Integer()),
    tags: Type.Array(Type.String()),
    rules: Type.Array(Type.Object({ id: Uuid(), ...SCOPE })),
    operating_status: OperatingStatus(),
    provisioning_status: ProvisioningStatus(),
    task_id: Nullable(Uuid()),
  },
  { $id: 'L7Policy' },
);
export type Policy = Static<typeof Policy>;
export const PolicyList = ListOf(Policy, 'L7PolicyList');

export const PolicyParams = Type.Object({ ...RegionParams.properties, l7policy_id: Uuid() });
export const PolicyListQuery = ListQuery({});
export type PolicyListQuery = Static<typeof PolicyListQuery>;
