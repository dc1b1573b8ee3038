import type { ReactNode } from 'react';
import { LinkButton } from './link-button.tsx';
import styles from './page.module.css';
import { Link } from './routing.tsx';
import { VerbButton, type VerbProps } from './verb-button.tsx';
import { useWindowTitle } from './window-title.ts';

export interface HeadProps {
  readonly title: ReactNode;
  /** One sentence that says what the thing is for. */
  readonly about?: ReactNode;
  readonly back?: { readonly to: string; readonly label: string };
  readonly children?: ReactNode;
}

/** The head of a page: where it belongs, its name, what it is for, and its actions at the right. */
export function PageHead({ title, about, back, children }: HeadProps) {
  const heading = useWindowTitle(back?.label);
  return (
    <header className={styles.head}>
      <div className={styles.headText}>
        {back && (
          <Link className={styles.back} to={back.to}>
            ← {back.label}
          </Link>
        )}
        <h1 ref={heading} className={styles.title}>
          {title}
        </h1>
        {about && <p className={styles.about}>{about}</p>}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </header>
  );
}

export function Card({
  title,
  aside,
  children,
}: {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={styles.card} data-card>
      {(title || aside) && (
        <div className={styles.cardHead}>
          <h2>{title}</h2>
          {aside}
        </div>
      )}
      {children}
    </section>
  );
}

export interface Fact {
  readonly label: string;
  readonly value: ReactNode;
  /** It is long, and has the room of two. */
  readonly wide?: boolean;
}

/** The band of facts below the head of a detail page. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(({ label, value, wide }) => (
        <div key={label} data-wide={wide}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

export interface EmptyProps {
  readonly title: string;
  readonly about: ReactNode;
  /** Leads to a page, or does something at once. */
  readonly action?:
    | { readonly label: string; readonly to: string; readonly call: VerbProps['call'] }
    | { readonly label: string; readonly run: () => void; readonly call: VerbProps['call'] }
    | undefined;
  /** One line that does the same from a terminal. */
  readonly code?: string | undefined;
}

/** What stands where nothing is yet: what it is for, one button, one line of code. */
export function Empty({ title, about, action, code }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      <p>{about}</p>
      {action && 'to' in action && (
        <LinkButton to={action.to} call={action.call}>
          {action.label}
        </LinkButton>
      )}
      {action && 'run' in action && (
        <VerbButton onClick={action.run} call={action.call}>
          {action.label}
        </VerbButton>
      )}
      {code && <pre className={styles.emptyCode}>{code}</pre>}
    </div>
  );
}
