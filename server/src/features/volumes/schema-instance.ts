import { type Static, Type } from '@sinclair/typebox';
import { Name, StringEnum, Uuid } from '../../platform/http/schemas.ts';
import { TagsInput } from '../../platform/http/tags.ts';
import { AttachmentTag, VolumeSize, VolumeTypeName } from './schema.ts';

/** The volumes that a new instance asks for. */

const common = {
  attachment_tag: Type.Optional(AttachmentTag()),
  delete_on_termination: Type.Optional(Type.Boolean({ default: false })),
  tags: Type.Optional(TagsInput),
};
const named = { name: Type.Optional(Name()), ...common };
const typed = { type_name: Type.Optional(VolumeTypeName({ default: 'standard' })), ...named };
const boot_index = Type.Optional(Type.Integer());
const source = <const S extends string>(name: S) => ({ source: Type.Literal(name) });

const variants = [
  Type.Object({ ...source('new-volume'), size: VolumeSize(), ...typed }, { $id: 'NewInstanceEmptyVolume' }),
  Type.Object(
    { ...source('image'), image_id: Uuid(), size: Type.Optional(VolumeSize()), boot_index, ...typed },
    { $id: 'NewInstanceVolumeFromImage' },
  ),
  Type.Object(
    {
      ...source('snapshot'),
      snapshot_id: Uuid(),
      size: VolumeSize(),
      boot_index,
      ...named,
      type_name: Type.Optional(StringEnum(['ssd_hiiops', 'standard'])),
    },
    { $id: 'NewInstanceVolumeFromSnapshot' },
  ),
  Type.Object(
    {
      ...source('apptemplate'),
      apptemplate_id: Type.String(),
      size: Type.Optional(VolumeSize()),
      boot_index,
      ...typed,
    },
    { $id: 'NewInstanceVolumeFromTemplate' },
  ),
  Type.Object(
    { ...source('existing-volume'), volume_id: Uuid(), boot_index, ...common },
    { $id: 'ExistingInstanceVolume' },
  ),
] as const;

export type NewInstanceVolume = Static<(typeof variants)[number]>;
export const NewInstanceVolume = Type.Unsafe<NewInstanceVolume>({
  $id: 'NewInstanceVolume',
  oneOf: variants,
  discriminator: { propertyName: 'source' },
  type: 'object',
  required: ['source'],
});
