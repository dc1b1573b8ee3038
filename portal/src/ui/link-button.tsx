import { Button, type ButtonProps } from '@mantine/core';
import { useMay } from '../api/may.ts';
import { Link } from './routing.tsx';
import { VerbButton, type VerbProps } from './verb-button.tsx';

interface Props extends ButtonProps, Pick<VerbProps, 'why' | 'call'> {
  readonly to: string;
}

/** A button that leads to where something is made or asked for, or says why that can't be done. */
export function LinkButton({ to, why: other, call, ...props }: Props) {
  const why = useMay()(call) ?? other;
  return why === undefined ? (
    <Button component={Link} to={to} {...props} />
  ) : (
    <VerbButton {...props} why={why} />
  );
}
