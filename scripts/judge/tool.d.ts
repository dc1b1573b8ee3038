/** A PostgreSQL behind a pooler. */
export interface Database {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface Storage {
  /** Where its S3 server is. */
  readonly address: string;
  readonly access_key: string;
  readonly secret_key: string;
}

/** The server that tools run against. */
export interface Server {
  readonly url: string;
  /** With the role Administrators. */
  readonly token: string;
  /** A managed PostgreSQL with a pooler in transaction mode, made when it is first asked for. */
  pooled(): Promise<Database>;
  /** An object storage, made when it is first asked for. */
  storage(): Promise<Storage>;
  /** Archives of images in it are on every node that starts. */
  readonly images: string;
  /** Of the Kubernetes cluster of this name, whose pods run, made when it is first asked for. It needs root and the
   *  engines. */
  kubeconfig(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** What a tool runs with. */
export interface Context {
  readonly server: Server;
  /** A folder that is kept, for this tool in this version. */
  readonly cache: string;
  /** A folder that is removed afterwards. */
  readonly work: string;
  /** With `API_URL` and `API_TOKEN`. */
  readonly env: NodeJS.ProcessEnv;
  /** Runs a program in `work`. @returns its standard output
   *  @throws when it fails */
  run(
    program: string,
    words: readonly string[],
    options?: { cwd?: string; env?: NodeJS.ProcessEnv; input?: string; patienceMs?: number },
  ): Promise<string>;
}

export interface Tool {
  readonly name: string;
  readonly version: string;
  readonly does: string;
  /** Programs that it needs in the PATH. */
  readonly needs?: readonly string[];
  /** @returns what came of it, where that is not just that it works
   *  @throws when it does not work */
  run(context: Context): Promise<string | undefined>;
}
