import { pathIn } from '../api/scope.ts';
import { Link, useScope } from './routing.tsx';

interface LinksProps {
  /** The folder of their pages. */
  readonly page: string;
  readonly to: readonly { readonly id: string; readonly name: string }[];
}

/** Names that lead to their pages, one after the other. */
export function Links({ page, to }: LinksProps) {
  const scope = useScope();
  return to.map(({ id, name }, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <Link className="link" to={pathIn(scope, page, id)}>
        {name}
      </Link>
    </span>
  ));
}
