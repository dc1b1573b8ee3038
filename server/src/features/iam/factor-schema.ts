import { Type } from '@sinclair/typebox';
import { DateTime, Nullable, StringEnum, Uuid } from '../../platform/http/schemas.ts';

const name = () =>
  Type.String({ minLength: 1, maxLength: 100, description: 'What the person calls it: "phone"' });

export const SecondFactor = Type.Object(
  {
    id: Uuid(),
    kind: StringEnum(['totp', 'passkey'], {
      description: 'totp: codes of an authenticator app; passkey: signs in by itself, without the password',
    }),
    name: Type.String(),
    created_at: DateTime(),
    last_used_at: Nullable(DateTime({ description: 'null: not since it was added' })),
  },
  { $id: 'SecondFactor' },
);
export const SecondFactorList = Type.Object(
  {
    count: Type.Integer(),
    results: Type.Array(SecondFactor),
    recovery_codes_left: Type.Integer({ description: 'How many recovery codes were not used yet' }),
  },
  { $id: 'SecondFactorList' },
);
export const AddAuthenticator = Type.Object({ name: name() }, { $id: 'AddAuthenticator' });
export const NewAuthenticator = Type.Object(
  {
    id: Uuid(),
    shared_secret: Type.String({ description: 'In Base32, to type into the app' }),
    uri: Type.String({ description: 'The same as an `otpauth:` address, for a picture that the app reads' }),
  },
  { $id: 'NewAuthenticator' },
);
export const ConfirmAuthenticator = Type.Object(
  { code: Type.String({ maxLength: 32, description: 'The six digits that the app shows' }) },
  { $id: 'ConfirmAuthenticator' },
);
export const RecoveryCodes = Type.Object(
  {
    recovery_codes: Type.Array(Type.String(), {
      description:
        'Each stands for a second factor once. Shown this once, with the first second factor; empty with others',
    }),
  },
  { $id: 'RecoveryCodes' },
);
export const FactorParams = Type.Object({ factor_id: Uuid({ description: 'The second factor' }) });
