/** What a dump of a database has, by who restores it. Each part is a list for `pg_restore -L`. */
export interface Parts {
  /** The empty database, with its settings: the one does not come without the other. */
  readonly database: string;
  /** What is made in it, and may call functions of users. */
  readonly things: string;
  /** Rights, and settings of the database. */
  readonly rights: string;
  /** What materialized views show; empty: there are none. */
  readonly views: string;
}

/** An entry: id; catalogue and object, then its kind, schema, name and owner. Names are users'; so a kind of several
 *  words is known by its catalogue, too. */
const OF_PARTS: Readonly<Record<Exclude<keyof Parts, 'things'>, RegExp>> = {
  database: /^\d+; (1262 \d+ DATABASE|0 0 DATABASE PROPERTIES) /,
  rights: /^\d+; (0 0 (DATABASE PROPERTIES|ACL|COMMENT - DATABASE|COMMENT - EXTENSION)|826 \d+ DEFAULT ACL) /,
  views: /^\d+; 0 \d+ MATERIALIZED VIEW DATA /,
};

/** What only we can have allowed, for a pooler, which is given it anew. */
const OURS = /^\d+; 0 0 ACL pg_catalog /;

/** @param contents what `pg_restore -l` says */
export function partsOf(contents: string): Parts {
  const entries = contents.split('\n').filter((line) => /^\d+; /.test(line) && !OURS.test(line));
  const those = (belongs: (line: string) => boolean) =>
    entries
      .filter(belongs)
      .map((line) => `${line}\n`)
      .join('');
  const others = Object.values(OF_PARTS);
  return {
    database: those((line) => OF_PARTS.database.test(line)),
    things: those((line) => !others.some((part) => part.test(line))),
    rights: those((line) => OF_PARTS.rights.test(line)),
    views: those((line) => OF_PARTS.views.test(line)),
  };
}
