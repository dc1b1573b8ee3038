import type { ReactNode } from 'react';

interface IconProps {
  /** In pixels. */
  readonly size: number;
  /** How thick its lines are, of 24 units; default: 2. */
  readonly stroke?: number;
  readonly className?: string | undefined;
  readonly 'aria-label'?: string;
}

export type Icon = (props: IconProps) => ReactNode;

/** An icon in the colour of the text around it.
 *  @param body what is drawn on 24 by 24 units, in SVG */
export const iconOf =
  (body: string): Icon =>
  ({ size, stroke = 2, ...rest }) => (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      viewBox="0 0 24 24"
      width={size}
      height={size}
      strokeWidth={stroke}
      {...rest}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: of the set that the portal is built with
      dangerouslySetInnerHTML={{ __html: body }}
    />
  );
