import { type Static, Type } from '@sinclair/typebox';
import { Faults } from '../../kernel/faults.ts';
import { StringEnum } from '../../platform/http/schemas.ts';
import { Validator } from '../../platform/http/validation.ts';
import ours from './catalogue.json' with { type: 'json' };

/** What simulated regions offer: sizes of machines, Kubernetes versions, types of volumes, and images. */

/** The types of volumes that the wire has words for. */
export const VOLUME_TYPES = [
  'cold',
  'ssd_hiiops',
  'ssd_local',
  'ssd_lowlatency',
  'standard',
  'ultra',
] as const;
/** Those that have a quota. */
/** Linux, where an entry does not name it. */
const OsType = () => Type.Optional(StringEnum(['linux', 'windows']));
const GPU_MODELS = ['A100', 'H100', 'H200', 'L40S'] as const;

const list = <T extends Parameters<typeof Type.Array>[0]>(of: T) =>
  Type.Array(of, { minItems: 1, maxItems: 1000 });
const count = (maximum: number) => Type.Integer({ minimum: 1, maximum });
const Word = () => Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$' });

const Flavor = Type.Object(
  {
    id: Word(),
    vcpus: count(1024),
    ram_gib: count(16_384),
    os_type: OsType(),
    gpu: Type.Optional(Type.Object({ model: StringEnum(GPU_MODELS), count: count(16) })),
  },
  { additionalProperties: false },
);
const Image = Type.Object(
  {
    name: Word(),
    distribution: Word(),
    version: Word(),
    os_type: OsType(),
    min_disk_gib: count(2000),
    min_ram_mib: count(1_048_576),
  },
  { additionalProperties: false },
);
const Catalogue = Type.Object(
  {
    flavors: list(Flavor),
    kubernetes_versions: list(Type.String({ pattern: '^v\\d+\\.\\d+\\.\\d+$' })),
    volume_types: list(StringEnum(VOLUME_TYPES)),
    images: list(Image),
  },
  { additionalProperties: false },
);
export type Catalogue = Static<typeof Catalogue>;

/** Checks what an operator has written.
 *  @throws Invalid naming every faulty entry, and every one that is there twice */
export function checkCatalogue(content: unknown): Catalogue {
  const checked = new Validator().check(Catalogue, content, 'body') as Catalogue;
  const faults = new Faults();
  refuseTwice(
    checked.flavors.map(({ id }) => id),
    'flavors',
    faults,
  );
  refuseTwice(checked.kubernetes_versions, 'kubernetes_versions', faults);
  refuseTwice(checked.volume_types, 'volume_types', faults);
  refuseTwice(
    checked.images.map(({ name }) => name),
    'images',
    faults,
  );
  faults.refuse();
  return checked;
}

function refuseTwice(names: readonly string[], field: string, faults: Faults): void {
  names.forEach((name, index) => {
    if (names.indexOf(name) < index) faults.add(`${field}.${index}`, `${name} is there twice`);
  });
}

let offered = checkCatalogue(ours);

/** What this process offers. */
export const catalogue = (): Catalogue => offered;

/** Offers something else: once, before anything is asked for. */
export function offer(other: Catalogue): void {
  offered = other;
}
