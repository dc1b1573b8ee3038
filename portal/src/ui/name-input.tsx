import { TextInput } from '@mantine/core';

interface NameInputProps {
  readonly value: string;
  readonly change: (name: string) => void;
  readonly error: string | undefined;
  /** What a name may be. */
  readonly about?: string;
}

/** What something new is called: the first field of a page that makes one. */
export function NameInput({ value, change, error, about }: NameInputProps) {
  return (
    <TextInput
      label="Name"
      description={about}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={error}
      required
      autoFocus
    />
  );
}
