/** What a person has looked at last, kept in the browser. */

export interface Recent {
  readonly path: string;
  readonly name: string;
  /** The list that it is in. */
  readonly of: string;
}

const KEY = 'virga.recent';
const KEPT = 8;

/** The newest first. */
export function recents(): readonly Recent[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

export function noteRecent(recent: Recent): void {
  const others = recents().filter(({ path }) => path !== recent.path);
  localStorage.setItem(KEY, JSON.stringify([recent, ...others].slice(0, KEPT)));
}
