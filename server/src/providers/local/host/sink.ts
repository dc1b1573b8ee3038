/** Where a backup puts what it takes. */
export interface Sink {
  /** Adds what is in a folder.
   *  @param name of the part; the folder is found by it when it is restored
   *  @param leftOut names as of `tar --exclude`
   *  @param names what of it; absent: everything */
  files(
    name: string,
    folder: string,
    options?: { readonly leftOut?: readonly string[]; readonly names?: readonly string[] },
  ): Promise<void>;
  text(name: string, text: string): Promise<void>;
  /** Says what is waited for. */
  say(line: string): void;
}

/** The same for what is in a folder of a part.
 *  @param part ends with a slash */
export const inPart = (sink: Sink, part: string): Sink => ({
  files: (name, folder, options) => sink.files(part + name, folder, options),
  text: (name, text) => sink.text(part + name, text),
  say: sink.say,
});
