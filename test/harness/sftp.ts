import { Client, type SFTPWrapper } from 'ssh2';

/** A client of SFTP storages. */

export interface SftpTarget {
  /** sftp://HOST:PORT */
  readonly address: string;
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
}

export interface Files {
  read(path: string): Promise<string>;
  write(path: string, content: string | Buffer): Promise<void>;
  names(path: string): Promise<string[]>;
  link(target: string, path: string): Promise<void>;
  /** Asks for a command of a shell. */
  run(command: string): Promise<void>;
  /** Resolves when the connection is gone. */
  readonly ended: Promise<void>;
  end(): void;
}

type Callback<T> = (error: Error | undefined | null, value: T) => void;
const requested = <T>(ask: (callback: Callback<T>) => void): Promise<T> =>
  new Promise((resolve, reject) => {
    ask((error, value) => (error ? reject(error) : resolve(value)));
  });

/** @throws Error of the client, such as "All configured authentication methods failed" */
export async function connectSftp({ address, ...who }: SftpTarget): Promise<Files> {
  const { hostname: host, port } = new URL(address);
  const client = new Client();
  const ended = new Promise<void>((resolve) => client.once('close', () => resolve()));
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    client.on('error', reject);
    client.connect({ host, port: Number(port), ...who });
  });
  const sftp = await requested<SFTPWrapper>((callback) => client.sftp(callback));
  return {
    read: async (path) => String(await requested<Buffer>((callback) => sftp.readFile(path, callback))),
    write: (path, content) =>
      requested<void>((callback) => sftp.writeFile(path, content, (error) => callback(error, undefined))),
    names: async (path) =>
      (await requested<readonly { filename: string }[]>((callback) => sftp.readdir(path, callback))).map(
        ({ filename }) => filename,
      ),
    link: (target, path) =>
      requested<void>((callback) => sftp.symlink(target, path, (error) => callback(error, undefined))),
    run: async (command) => {
      await requested((callback) => client.exec(command, callback));
    },
    ended,
    end: () => client.end(),
  };
}
