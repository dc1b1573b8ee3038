import { type Static, Type } from '@sinclair/typebox';
import type { Clock } from '../../kernel/clock.ts';
import { Invalid, type InvalidFields } from '../../kernel/errors.ts';
import { Faults } from '../../kernel/faults.ts';
import type { Route } from '../../platform/http/route.ts';
import { Nullable, StringEnum, TaskIds } from '../../platform/http/schemas.ts';
import { pemBlocks } from './pem.ts';
import { all } from './routes.ts';
import { CreateSecret, SECRET_TYPES, type SecretPayload } from './schema.ts';
import { faultsOf, type SecretService } from './service.ts';

/** Secrets as older clients send them: PEM texts one after the other, in base64. */

const stated = <T extends Parameters<typeof Nullable>[0]>(schema: T) =>
  Type.Optional(Nullable(schema, { default: null, description: 'Accepted; read from the certificate.' }));

const OlderCreateSecret = Type.Object(
  {
    name: CreateSecret.properties.name,
    secret_type: StringEnum(SECRET_TYPES, {
      description: 'certificate, or opaque for revocation lists: nothing else is kept.',
    }),
    payload: Type.String({
      // Texts of the newer call in base64, which makes four characters of three.
      maxLength: 350_000,
      format: 'password',
      writeOnly: true,
      description:
        'PEM texts in base64: a private key and its certificate with chain, certificates of authorities, or revocation lists',
    }),
    payload_content_encoding: StringEnum(['base64']),
    payload_content_type: Type.String(),
    expiration: CreateSecret.properties.expiration,
    algorithm: stated(Type.String()),
    bit_length: stated(Type.Integer({ exclusiveMinimum: 0 })),
    mode: stated(Type.String()),
  },
  { $id: 'OlderCreateSecret' },
);

const KEPT: readonly string[] = ['certificate', 'opaque'];

export const deprecatedSecretRoutes = (service: SecretService, clock: Clock): readonly Route[] => [
  all.post({
    summary: 'Create a secret from PEM texts in base64',
    deprecated: true,
    body: OlderCreateSecret,
    bodyFaults: async (body) => olderFaults(body, clock.now()),
    response: TaskIds,
    handler: (ctx, { body }) => service.create(ctx, newSecret(body)),
  }),
];

/** @throws Invalid for a type that is not kept */
function newSecret({ name, secret_type: type, payload, expiration }: Static<typeof OlderCreateSecret>) {
  if (!KEPT.includes(type)) throw new Invalid({ secret_type: [`must be one of: ${KEPT.join(', ')}`] });
  return { name, payload: payloadOf(payload), expiration: expiration ?? null };
}

/** The texts by what they are: the first certificate is that of the key, if there is one. */
function payloadOf(base64: string): SecretPayload {
  const blocks = pemBlocks(Buffer.from(base64, 'base64').toString('utf8'));
  const keys = blocks.filter(({ label }) => label.endsWith('PRIVATE KEY'));
  const others = blocks.filter((block) => !keys.includes(block));
  const textOf = (some: typeof blocks) => some.map(({ text }) => `${text}\n`).join('');
  if (keys.length === 0) return { certificate: textOf(others), certificate_chain: '', private_key: '' };
  return {
    certificate: textOf(others.slice(0, 1)),
    certificate_chain: textOf(others.slice(1)),
    private_key: textOf(keys),
  };
}

/** What is wrong with the texts, all under `payload`. */
function olderFaults(body: unknown, now: Date): InvalidFields {
  const { payload } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof payload !== 'string') return faultsOf(body, now);
  const texts = payloadOf(payload);
  if (texts.certificate === '' && texts.private_key === '') {
    return { ...faultsOf({ ...(body as object), payload: undefined }, now), payload: [NO_PEM] };
  }
  const found = faultsOf({ ...(body as object), payload: texts }, now);
  const faults = new Faults();
  for (const [field, messages] of Object.entries(found)) {
    const [name = field, part] = field.split('.');
    for (const message of messages) faults.add(name, part === undefined ? message : `${part} ${message}`);
  }
  return faults.toError().fields;
}

const NO_PEM = 'holds no PEM text: encode "-----BEGIN …" texts in base64';
