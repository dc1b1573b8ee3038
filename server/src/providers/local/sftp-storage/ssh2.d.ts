/** What is used of the library ssh2, and no more. */
declare module 'ssh2' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  export interface Attributes {
    mode: number;
    uid: number;
    gid: number;
    size: number;
    atime: number;
    mtime: number;
  }

  export interface FileEntry {
    filename: string;
    longname: string;
    attrs: Attributes;
  }

  type Done<T> = (error: Error | undefined | null, value: T) => void;
  type ByPath = (id: number, path: string) => void;
  type ByHandle = (id: number, handle: Buffer) => void;

  export interface SFTPWrapper extends EventEmitter {
    on(
      event: 'OPEN',
      listener: (id: number, path: string, flags: number, attributes: Attributes) => void,
    ): this;
    on(event: 'READ', listener: (id: number, handle: Buffer, offset: number, length: number) => void): this;
    on(event: 'WRITE', listener: (id: number, handle: Buffer, offset: number, data: Buffer) => void): this;
    on(event: 'FSTAT' | 'CLOSE' | 'READDIR', listener: ByHandle): this;
    on(event: 'FSETSTAT', listener: (id: number, handle: Buffer, attributes: Attributes) => void): this;
    on(
      event: 'OPENDIR' | 'STAT' | 'LSTAT' | 'REALPATH' | 'READLINK' | 'MKDIR' | 'RMDIR' | 'REMOVE',
      listener: ByPath,
    ): this;
    on(event: 'SETSTAT', listener: (id: number, path: string, attributes: Attributes) => void): this;
    on(event: 'RENAME' | 'SYMLINK', listener: (id: number, from: string, to: string) => void): this;
    on(event: 'EXTENDED', listener: (id: number, name: string, data: Buffer | null) => void): this;
    on(event: 'end' | 'error', listener: () => void): this;
    status(id: number, code: number, message?: string): void;
    handle(id: number, handle: Buffer): void;
    data(id: number, data: Buffer): void;
    name(id: number, names: FileEntry[]): void;
    attrs(id: number, attributes: Attributes): void;
    end(): void;
    readFile(path: string, done: Done<Buffer>): void;
    writeFile(path: string, content: string | Buffer, done: (error?: Error | null) => void): void;
    readdir(path: string, done: Done<FileEntry[]>): void;
    symlink(target: string, path: string, done: (error?: Error | null) => void): void;
  }

  export interface ParsedKey {
    verify(data: Buffer, signature: Buffer, algorithm?: string): boolean | Error;
  }

  interface BaseAuthContext extends EventEmitter {
    readonly username: string;
    accept(): void;
    reject(methods?: string[]): void;
  }
  export interface PasswordAuthContext extends BaseAuthContext {
    readonly method: 'password';
    readonly password: string;
  }
  export interface PublicKeyAuthContext extends BaseAuthContext {
    readonly method: 'publickey';
    readonly key: { readonly algo: string; readonly data: Buffer };
    readonly hashAlgo?: string;
    readonly signature?: Buffer;
    readonly blob?: Buffer;
  }
  export interface KeyboardAuthContext extends BaseAuthContext {
    readonly method: 'keyboard-interactive';
    prompt(prompts: { prompt: string; echo: boolean }[], answered: (answers: string[]) => void): void;
  }
  export interface OtherAuthContext extends BaseAuthContext {
    readonly method: 'none' | 'hostbased';
  }
  export type AuthContext =
    | PasswordAuthContext
    | PublicKeyAuthContext
    | KeyboardAuthContext
    | OtherAuthContext;

  export interface Session extends EventEmitter {
    on(event: 'close', listener: () => void): this;
    on(event: 'sftp', listener: (accept: () => SFTPWrapper) => void): this;
  }

  export interface Connection extends EventEmitter {
    on(event: 'error' | 'ready' | 'close', listener: () => void): this;
    on(event: 'authentication', listener: (context: AuthContext) => void): this;
    on(event: 'session', listener: (accept: () => Session, reject: () => void) => void): this;
  }

  export class Server extends EventEmitter {
    constructor(options: {
      hostKeys: string[];
      ident?: string;
      algorithms?: Readonly<Record<'kex' | 'cipher' | 'hmac' | 'compress', readonly string[]>>;
    });
    on(event: 'connection', listener: (client: Connection, info: { ip: string; port: number }) => void): this;
    injectSocket(socket: Socket): void;
  }

  export class Client extends EventEmitter {
    connect(to: {
      host: string;
      port: number;
      username: string;
      password?: string;
      privateKey?: string;
      algorithms?: Readonly<Record<string, readonly string[]>>;
    }): void;
    sftp(done: Done<SFTPWrapper>): void;
    exec(command: string, done: Done<unknown>): void;
    end(): void;
  }

  export const utils: {
    generateKeyPairSync(type: 'ed25519'): { private: string; public: string };
    parseKey(text: string): ParsedKey | Error;
    readonly sftp: {
      readonly STATUS_CODE: Readonly<
        Record<'OK' | 'EOF' | 'NO_SUCH_FILE' | 'PERMISSION_DENIED' | 'FAILURE' | 'OP_UNSUPPORTED', number>
      >;
      readonly OPEN_MODE: Readonly<Record<'READ' | 'WRITE' | 'APPEND' | 'CREAT' | 'TRUNC' | 'EXCL', number>>;
    };
  };

  const ssh2: { readonly Server: typeof Server; readonly utils: typeof utils };
  export default ssh2;
}
