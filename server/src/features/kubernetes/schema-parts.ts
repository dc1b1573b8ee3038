import { type Static, Type } from '@sinclair/typebox';
import { Nullable, StringEnum, TopicName } from '../../platform/http/schemas.ts';

/** Parts that a cluster is sent with and shown with. */

export const Strings = () =>
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: { type: 'string' },
  });
export const optionalText = () => Type.Optional(Nullable(Type.String(), { default: null }));
const flag = (value: boolean) => Type.Optional(Type.Boolean({ default: value }));

const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'] as const;

/** @param absent what a creation fills in for a field that is left out; a change keeps what there is */
const oidcOf = (absent: { readonly default?: null }) => {
  const text = () => Type.Optional(Nullable(Type.String(), absent));
  const algorithm = StringEnum(ALGORITHMS);
  return Type.Object({
    client_id: text(),
    groups_claim: text(),
    groups_prefix: text(),
    issuer_url: Type.Optional(Nullable(Type.String({ maxLength: 2048 }), absent)),
    required_claims: Type.Optional(Nullable(Strings(), absent)),
    signing_algs: Type.Optional(Nullable(Type.Array(algorithm), absent)),
    username_claim: text(),
    username_prefix: text(),
  });
};

export const Oidc = oidcOf({ default: null });
export type Oidc = Static<typeof Oidc>;

export const Authentication = Type.Object({ oidc: Type.Optional(Nullable(Oidc, { default: null })) });
export const AuthenticationChange = Type.Object({
  oidc: Type.Optional(
    Nullable(oidcOf({}), { description: 'Fields that are left out stay; null: none any more' }),
  ),
});

export const Cilium = Type.Object({
  cni_exclusive: flag(true),
  encryption: flag(false),
  hubble_relay: flag(false),
  hubble_ui: flag(false),
  lb_acceleration: flag(false),
  lb_mode: Type.Optional(StringEnum(['dsr', 'hybrid', 'snat'], { default: 'snat' })),
  mask_size: Type.Optional(Type.Integer({ default: 24 })),
  mask_size_v6: Type.Optional(Type.Integer({ default: 120 })),
  routing_mode: Type.Optional(StringEnum(['native', 'tunnel'], { default: 'tunnel' })),
  tunnel: Type.Optional(StringEnum(['', 'geneve', 'vxlan'], { default: 'geneve' })),
});

export const Cni = Type.Object({
  cilium: Type.Optional(Nullable(Cilium, { default: null })),
  provider: Type.Optional(StringEnum(['calico', 'cilium'], { default: 'calico' })),
});
export type Cni = Static<typeof Cni>;

/** What a Cilium setting is when it is not given. */
const CILIUM_DEFAULTS = {
  cni_exclusive: true,
  encryption: false,
  hubble_relay: false,
  hubble_ui: false,
  lb_acceleration: false,
  lb_mode: 'snat',
  mask_size: 24,
  mask_size_v6: 120,
  routing_mode: 'tunnel',
  tunnel: 'geneve',
} as const;

/** The network plug-in with every default filled in. */
export function completeCni(cni: Cni | null | undefined): Cni {
  const provider = cni?.provider ?? 'calico';
  const cilium = provider === 'cilium' ? { ...CILIUM_DEFAULTS, ...cni?.cilium } : null;
  return { provider, cilium };
}

export const DdosInput = Type.Object({
  enabled: Type.Boolean(),
  fields: Type.Optional(
    Type.Array(
      Type.Object({
        base_field: Type.Integer(),
        field_value: Type.Optional(Type.Unknown({ default: null })),
      }),
      { default: [] },
    ),
  ),
  profile_template: Type.Optional(Nullable(Type.Integer(), { default: null })),
  profile_template_name: optionalText(),
});
export type DdosInput = Static<typeof DdosInput>;

const Period = Type.Object({
  period: Nullable(Type.Integer({ exclusiveMinimum: 0, maximum: 1825 })),
});

export const LoggingInput = Type.Object({
  destination_region_id: Type.Optional(Nullable(Type.Integer(), { default: null })),
  enabled: Type.Optional(Type.Boolean({ default: false })),
  retention_policy: Type.Optional(Nullable(Period, { default: null })),
  topic_name: Type.Optional(Nullable(TopicName(), { default: null })),
});
export type LoggingInput = Static<typeof LoggingInput>;

export const LoggingView = Type.Object({
  destination_region_id: Nullable(Type.Integer()),
  enabled: Type.Boolean(),
  retention_policy: Type.Optional(Nullable(Period, { default: null })),
  topic_name: Nullable(Type.String()),
});

export function completeLogging(input: LoggingInput | null | undefined): Static<typeof LoggingView> | null {
  if (!input) return null;
  return {
    destination_region_id: input.destination_region_id ?? null,
    enabled: input.enabled ?? false,
    retention_policy: input.retention_policy ?? null,
    topic_name: input.topic_name ?? null,
  };
}
