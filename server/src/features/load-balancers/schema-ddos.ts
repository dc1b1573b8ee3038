import { type Static, Type } from '@sinclair/typebox';
import { Nullable } from '../../platform/http/schemas.ts';
import { InstanceDdosProfile } from '../instances/index.ts';

const { fields: instanceFields, ...ofInstances } = InstanceDdosProfile.properties;
const field = { ...instanceFields.items.properties, value: Nullable(Type.String()) };

/** The profile of advanced DDoS protection that a load balancer may have. */
export const DdosProfile = Type.Object({ ...ofInstances, fields: Type.Array(Type.Object(field)) });
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
