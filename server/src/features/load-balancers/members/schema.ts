import { type Static, Type } from '@sinclair/typebox';
import { IpAddress, Nullable, Uuid } from '../../../platform/http/schemas.ts';
import { port } from '../schema-parts.ts';

/** What clients send about members. */

export const MemberInput = Type.Object({
  address: IpAddress(),
  protocol_port: port(),
  weight: Type.Optional(Type.Integer({ exclusiveMinimum: 0, maximum: 256 })),
  admin_state_up: Type.Optional(Type.Boolean({ default: true })),
  backup: Type.Optional(Type.Boolean({ default: false })),
  instance_id: Type.Optional(Nullable(Uuid(), { default: null })),
  subnet_id: Type.Optional(Nullable(Uuid(), { default: null })),
  monitor_address: Type.Optional(Nullable(IpAddress(), { default: null })),
  monitor_port: Type.Optional(Nullable(port(), { default: null })),
});
export type MemberInput = Static<typeof MemberInput>;
