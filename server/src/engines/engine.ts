/** An engine is a program that a provider needs. */
export interface Engine {
  /** What people type: `s3`. */
  readonly name: string;
  readonly title: string;
  /** What is not there without it. */
  readonly why: string;
  /** The version that is got; undefined: the one that the system has. */
  readonly version: string | undefined;
  /** Environment variable that names the program, before anything else is looked at. */
  readonly setting?: string;
  readonly source: Source;
  /** It is got by a start without being asked for. */
  readonly small: boolean;
  /** Uses the program. @param program its full path
   *  @returns what it says that it is
   *  @throws with the reason why it cannot be used */
  probe(program: string): Promise<string>;
}

/** How a program is got. */
export type Source =
  /** Packages of Debian, of which one has the program in the PATH. */
  | { readonly kind: 'system'; readonly packages: readonly string[]; readonly program: string }
  /** A package of npm. @property file of the program, in the package
   *  @property together it came with this program's own packages */
  | {
      readonly kind: 'npm';
      readonly package: string;
      readonly version: string;
      readonly file: string;
      readonly together: boolean;
    }
  /** A package of Python's registry. @property file of the program, in the package */
  | { readonly kind: 'pypi'; readonly package: string; readonly version: string; readonly file: string }
  /** A Go module of this program, built on this machine. @property module its folder below `engines/`
   *  @property modules the folder in it with the `go.mod` to go by; absent: its own
   *  @property variables that are set in the program, by their Go names */
  | {
      readonly kind: 'go';
      readonly module: string;
      readonly program: string;
      readonly modules?: string;
      readonly variables?: Readonly<Record<string, string>>;
    }
  /** A program of Debian: the package where the system's is new enough, else built on this machine.
   *  @property suite the release of Debian whose source is built
   *  @property oldest the first version that can be used, as `1.21`
   *  @property needs packages that its build needs
   *  @property configure words for its `configure` */
  | {
      readonly kind: 'debian';
      readonly package: string;
      readonly program: string;
      readonly suite: string;
      readonly oldest: string;
      readonly needs: readonly string[];
      readonly configure: readonly string[];
    }
  /** One file of its makers. */
  | { readonly kind: 'release'; readonly url: string; readonly sha256: string; readonly program: string };

/** What is known of an engine on this machine. */
export interface EngineState {
  readonly engine: Engine;
  readonly state: 'ready' | 'missing' | 'broken';
  /** Where its program is. */
  readonly program: string | undefined;
  /** What the program says that it is. */
  readonly says: string | undefined;
  /** Why it cannot be used, and what to do. */
  readonly fault: string | undefined;
}

/** The engine cannot be had or used; its message is for the person who asked. */
export class EngineError extends Error {}
