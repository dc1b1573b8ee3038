import { createServer, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection } from 'ssh2';
import type { Orders } from '../orders.ts';
import type { Counter } from './counter.ts';
import { announceExtensions } from './extensions.ts';
import { Folder } from './folder.ts';
import type { Gate, Ticket } from './gate.ts';
import { Session } from './session.ts';

/** Connections that may be open, and how many of them have not signed in. */
const MOST_CONNECTIONS = 100;
const MOST_STRANGERS = 20;
const MOST_TRIES = 6;
const MOST_CHANNELS = 10;
const SIGN_IN_MS = 30_000;
/** Nothing with SHA-1, and no compression: a stranger could have a few bytes inflated to a thousand times as many. */
const ALGORITHMS = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: [
    'chacha20-poly1305@openssh.com',
    'aes256-gcm@openssh.com',
    'aes128-gcm@openssh.com',
    'aes256-ctr',
    'aes192-ctr',
    'aes128-ctr',
  ],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
};
const METHODS = ['publickey', 'password', 'keyboard-interactive'] as const;

export interface SftpServerOptions extends Pick<Orders, 'host' | 'port' | 'data'> {
  readonly hostKey: string;
  readonly gate: Gate;
  readonly counter: Counter;
}

/** SFTP for one storage: nothing else of SSH is there. */
export class SftpServer {
  readonly #options: SftpServerOptions;
  readonly #folder: Folder;
  readonly #ssh: InstanceType<typeof ssh2.Server>;
  readonly #sockets = new Set<Socket>();
  /** Those that have not signed in. */
  readonly #strangers = new Set<Socket>();
  readonly #front;

  constructor(options: SftpServerOptions) {
    this.#options = options;
    this.#folder = new Folder(options.data);
    // Each connection comes to the library by itself, so that what it does is known to belong to its socket.
    this.#ssh = new ssh2.Server({ hostKeys: [options.hostKey], ident: 'Virga', algorithms: ALGORITHMS });
    this.#front = createServer((socket) => this.#connected(socket));
    this.#front.on('error', (error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    });
  }

  listen(): void {
    this.#front.listen(this.#options.port, this.#options.host);
  }

  /** Connections end at once. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#front.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #connected(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    this.#options.counter.watch(socket);
    if (this.#sockets.size >= MOST_CONNECTIONS || this.#strangers.size >= MOST_STRANGERS) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    this.#strangers.add(socket);
    const late = setTimeout(() => socket.destroy(), SIGN_IN_MS);
    socket.once('close', () => {
      clearTimeout(late);
      this.#sockets.delete(socket);
      this.#strangers.delete(socket);
    });
    socket.setNoDelay(true);
    const onConnection = (client: Connection, info: { port: number; ip: string }) => {
      if (info.port !== socket.remotePort || info.ip !== socket.remoteAddress) return;
      this.#ssh.removeListener('connection', onConnection);
      this.#greet(client, socket, () => {
        clearTimeout(late);
        this.#strangers.delete(socket);
      });
    };
    this.#ssh.on('connection', onConnection);
    socket.once('close', () => this.#ssh.removeListener('connection', onConnection));
    this.#ssh.injectSocket(socket);
  }

  #greet(client: Connection, socket: Socket, onIn: () => void): void {
    let tries = 0;
    let ticket: Ticket | undefined;
    const { gate } = this.#options;
    client.on('error', () => socket.destroy());
    client.on('authentication', (context: AuthContext) => {
      if (context.method === 'none') return context.reject([...METHODS]);
      tries += 1;
      if (tries > MOST_TRIES) return void socket.destroy();
      void this.#ask(context).then(
        (found) => {
          ticket = found;
          if (found) context.accept();
          else context.reject([...METHODS]);
        },
        () => socket.destroy(),
      );
    });
    client.on('ready', () => {
      onIn();
      const stay = () => {
        if (!ticket || !gate.holds(ticket)) socket.destroy();
      };
      gate.onChange(stay);
      socket.once('close', () => gate.forget(stay));
      stay();
    });
    this.#serve(client);
  }

  /** @returns by what somebody may come in, or undefined */
  async #ask(context: AuthContext): Promise<Ticket | undefined> {
    const { gate } = this.#options;
    if (context.method === 'password') return gate.byPassword(context.username, context.password);
    if (context.method === 'publickey') return gate.byKey(context);
    if (context.method !== 'keyboard-interactive') return undefined;
    const password = await new Promise<string>((resolve) => {
      context.once('abort', () => resolve(''));
      context.prompt([{ prompt: 'Password: ', echo: false }], (answers) => resolve(answers[0] ?? ''));
    });
    return gate.byPassword(context.username, password);
  }

  #serve(client: Connection): void {
    let channels = 0;
    client.on('session', (accept, reject) => {
      if (channels >= MOST_CHANNELS) return reject();
      channels += 1;
      const session = accept();
      session.on('close', () => {
        channels -= 1;
      });
      session.on('sftp', (acceptSftp) => {
        const sftp = acceptSftp();
        announceExtensions(sftp);
        const files = new Session(sftp, this.#folder, this.#options.counter);
        session.once('close', () => void files.close());
        client.once('close', () => void files.close());
      });
    });
  }
}
