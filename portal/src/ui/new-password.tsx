import { PasswordInput } from '@mantine/core';

/** What the API asks of a new password, in one line. */
export const PASSWORD_RULE =
  '12 characters at least: several words make a good one. Not a common password, and not your address';

/** Where somebody chooses a password. */
export function NewPasswordInput({
  label,
  focus = false,
}: {
  readonly label: string;
  readonly focus?: boolean;
}) {
  return (
    <PasswordInput
      name="password"
      label={label}
      description={PASSWORD_RULE}
      autoComplete="new-password"
      minLength={12}
      required
      autoFocus={focus}
    />
  );
}
