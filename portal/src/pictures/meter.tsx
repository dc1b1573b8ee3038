import type { ReactNode } from 'react';

interface MeterProps {
  readonly className: string | undefined;
  readonly label: string;
  readonly value: number;
  readonly max: number;
  /** The value in words, where they say more than the number. */
  readonly words?: string;
  readonly children: ReactNode;
}

/** A bar that says its value to those who do not see it. */
export function Meter({ className, label, value, max, words, children }: MeterProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot show the threshold
    <div
      className={className}
      role="meter"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuetext={words}
    >
      {children}
    </div>
  );
}
