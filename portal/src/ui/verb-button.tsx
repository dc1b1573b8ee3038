import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithoutRef, MouseEvent } from 'react';
import { type Needs, useMay } from '../api/may.ts';
import { hint, showHint } from './hint.tsx';

export type VerbProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<'button'>, keyof ButtonProps> & {
    /** Why it can't be pressed now; absent: it can. */
    readonly why?: string | undefined;
    /** What it sends, or leads to; whoever may not send it hears that first. */
    readonly call?: Needs | (() => Needs | undefined) | undefined;
  };

/** A button that says why it can't be pressed, also to those who come to it with keys or a finger. The browser's own
 *  `disabled` would make it silent for them. */
export function VerbButton({ why: other, call, ...props }: VerbProps) {
  const why = useMay()(call) ?? other;
  if (why === undefined) return <Button {...props} />;
  const say = (event: MouseEvent<HTMLElement>) => {
    event.preventDefault();
    showHint(event.currentTarget, why);
  };
  return <Button {...props} {...hint(why)} data-disabled aria-disabled onClick={say} />;
}
