import { pathIn } from '../api/place.ts';
import { Link, usePlace } from './routing.tsx';

interface LinksProps {
  /** The folder of their pages. */
  readonly page: string;
  readonly to: readonly { readonly id: string; readonly name: string }[];
}

/** Names that lead to their pages, one after the other. */
export function Links({ page, to }: LinksProps) {
  const place = usePlace();
  return to.map(({ id, name }, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <Link className="link" to={pathIn(place, page, id)}>
        {name}
      </Link>
    </span>
  ));
}
