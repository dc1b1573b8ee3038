import { createConnection, type Socket } from 'node:net';

const PROMPT = '\n> ';
const ANSWER_DEADLINE_MS = 5_000;
/** Commands in one line, which may have about 16,000 bytes. */
const BATCH = 60;

interface Waiting {
  /** Answers that are still to come, each of which ends in a prompt. */
  readonly prompts: number;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** One lasting connection to the command socket of one HAProxy process. Commands are answered in
 *  order. A connection made before a reload goes on talking to the old process, which is how its last
 *  counters are read. */
export class RuntimeSocket {
  readonly #path: string;
  #connecting: Promise<Socket> | undefined;
  #socket: Socket | undefined;
  #waiting: Waiting | undefined;
  #received = '';
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Sends one command, with an optional text under it, and resolves to what HAProxy answers.
   *  @throws Error when the process cannot be reached or is silent for five seconds */
  command(words: string, payload?: string): Promise<string> {
    const text = payload === undefined ? `${words}\n` : `${words} <<\n${payload.trimEnd()}\n\n`;
    return this.#exclusively(async () => {
      const socket = await this.#connected();
      return this.#exchange(socket, text);
    });
  }

  /** Sends many commands, some dozens at a time, and resolves to all answers in order. */
  async commands(list: readonly string[]): Promise<string[]> {
    const answers: string[] = [];
    for (let start = 0; start < list.length; start += BATCH) {
      const batch = list.slice(start, start + BATCH);
      const answer = await this.#exclusively(async () => {
        const socket = await this.#connected();
        return this.#exchange(socket, `${batch.join(';')}\n`, batch.length);
      });
      answers.push(...answer.split(PROMPT).map((each) => each.trim()));
    }
    return answers;
  }

  close(): void {
    this.#closed = true;
    this.#socket?.destroy();
  }

  #exclusively<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #connected(): Promise<Socket> {
    if (this.#closed) throw new Error(`the connection to ${this.#path} was closed`);
    this.#connecting ??= this.#connect();
    try {
      return await this.#connecting;
    } catch (error) {
      this.#connecting = undefined;
      throw error;
    }
  }

  async #connect(): Promise<Socket> {
    const socket = createConnection(this.#path);
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => this.#receive(chunk));
    const lost = (error?: Error) => {
      if (this.#socket !== socket) return;
      this.#connecting = undefined;
      this.#settle((waiting) => waiting.reject(error ?? new Error(`${this.#path} hung up`)));
    };
    socket.on('error', lost);
    socket.on('close', () => lost());
    await this.#exchange(socket, 'prompt\n');
    return socket;
  }

  #exchange(socket: Socket, text: string, prompts = 1): Promise<string> {
    return new Promise<string>((resolve, reject) => {
      const deadline = setTimeout(() => {
        this.#settle(() => reject(new Error(`${this.#path} did not answer in time`)));
        socket.destroy();
      }, ANSWER_DEADLINE_MS);
      this.#received = '';
      this.#waiting = {
        prompts,
        resolve: (answer) => {
          clearTimeout(deadline);
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(deadline);
          reject(error);
        },
      };
      socket.write(text);
    });
  }

  #receive(chunk: string): void {
    this.#received += chunk;
    if (!this.#received.endsWith(PROMPT)) return;
    const { prompts } = this.#waiting ?? { prompts: 1 };
    if (prompts > 1 && this.#received.split(PROMPT).length <= prompts) return;
    const answer = this.#received.slice(0, -PROMPT.length).replace(/^(\+ )+/, '');
    this.#settle((waiting) => waiting.resolve(answer.trim()));
  }

  #settle(outcome: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    this.#received = '';
    if (waiting) outcome(waiting);
  }
}
