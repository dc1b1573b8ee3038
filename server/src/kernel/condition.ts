/** What a region says of something that it keeps, where somebody else can break or delete it, too. */
export interface Condition {
  /** Why it is of no use, in a sentence without its end; null: it is well. */
  readonly failed: string | null;
}

export interface Watchable {
  /** How those are on which no task works. Only what is known is named.
   *  @param failed those of which it was said before that they are of no use
   *  @throws when the region cannot be asked */
  observe(ids: readonly string[], failed: ReadonlySet<string>): Promise<ReadonlyMap<string, Condition>>;
  /** Whether this node is the one that looks at the region at present. Absent: any. */
  mayLook?(): Promise<boolean>;
}
