import { type Static, Type } from '@sinclair/typebox';
import { Nullable } from '../../platform/http/schemas.ts';

/** The profile of advanced DDoS protection that a load balancer may have. */

const templateField = () => ({
  id: Type.Integer(),
  name: Type.String({ maxLength: 30 }),
  description: Nullable(Type.String({ maxLength: 255 })),
  default: Nullable(Type.String({ maxLength: 100 })),
  field_type: Nullable(Type.String()),
  required: Nullable(Type.Boolean()),
  validation_schema: Type.Unknown(),
});

const ProfileTemplate = Type.Object({
  id: Type.Integer(),
  name: Type.String({ maxLength: 100 }),
  description: Nullable(Type.String()),
  fields: Type.Array(Type.Object(templateField())),
});

export const DdosProfile = Type.Object({
  id: Type.Integer(),
  options: Type.Object({ active: Type.Boolean(), bgp: Type.Boolean() }),
  site: Nullable(Type.String({ maxLength: 50 })),
  status: Nullable(
    Type.Object({ status: Type.String({ minLength: 3, maxLength: 30 }), error_description: Type.String() }),
  ),
  protocols: Nullable(Type.Array(Type.Object({ port: Type.String(), protocols: Type.Array(Type.String()) }))),
  profile_template_description: Nullable(Type.String()),
  profile_template: Nullable(ProfileTemplate),
  fields: Type.Array(
    Type.Object({
      ...templateField(),
      base_field: Type.Integer(),
      field_value: Type.Unknown(),
      value: Nullable(Type.String()),
    }),
  ),
});
export type DdosProfileRecord = Static<typeof DdosProfile>;

const { options, site, status, protocols, profile_template_description, profile_template, fields } =
  DdosProfile.properties;

/** What operators send: the id is given here, and what is left out is null or empty. */
export const DdosProfileInput = Type.Object(
  {
    options,
    site: Type.Optional(site),
    status: Type.Optional(status),
    protocols: Type.Optional(protocols),
    profile_template_description: Type.Optional(profile_template_description),
    profile_template: Type.Optional(profile_template),
    fields: Type.Optional(fields),
  },
  { $id: 'DdosProfileInput' },
);
export type DdosProfileInput = Static<typeof DdosProfileInput>;
