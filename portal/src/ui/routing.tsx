import { type AnchorHTMLAttributes, type ComponentType, createContext, type Ref, use } from 'react';
import type { Scope } from '../api/scope.ts';

/** What the address says behind its question mark. */
export type Search = Readonly<Record<string, string | undefined>>;

export interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string;
  readonly ref?: Ref<HTMLAnchorElement>;
}

export interface Going {
  /** The page that is left is none to come back to. */
  readonly replace?: boolean;
  /** Default: the page begins at its top. */
  readonly resetScroll?: boolean;
}

/** What plain components know of addresses. Whoever shows them says how it is done; the hooks are always the same. */
export interface Routing {
  readonly Link: ComponentType<LinkProps>;
  /** @param to an address of the portal, with its search */
  readonly go: (to: string, how?: Going) => Promise<void>;
  /** Fetches the code of a page before it is opened. */
  readonly preload: (to: string) => void;
  /** Changes the search of the address; what is undefined is left out. */
  readonly changeSearch: (change: (now: Search) => Search, how?: Going) => Promise<void>;
  readonly useSearch: () => Search;
  /** The parts of the address that name what the page is about. */
  readonly useParameters: () => Readonly<Record<string, string | undefined>>;
  readonly useScope: () => Scope;
  /** Why the region of the page does not have what the page is about; undefined: it has it, or that is not known yet. */
  readonly useLack: () => string | undefined;
}

export const RoutingContext = createContext<Routing | undefined>(undefined);

/** @throws where nobody has said how addresses are followed */
export function useRouting(): Routing {
  const routing = use(RoutingContext);
  if (!routing) throw new Error('there is no RoutingContext around this');
  return routing;
}

export const useSearch = (): Search => useRouting().useSearch();
export const useScope = (): Scope => useRouting().useScope();

/** Leads to another page of the portal. */
export function Link(props: LinkProps) {
  const { Link: Own } = useRouting();
  return <Own {...props} />;
}
