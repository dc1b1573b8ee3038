import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';

/** One HTTP connection that asks one request after the other. It does the least that is possible, because whoever
 *  sends uses the same two cores. */
export class Sender {
  readonly #socket: Socket;
  readonly #head: string;
  #received = '';

  private constructor(socket: Socket, head: string) {
    this.#socket = socket;
    this.#head = head;
    socket.setEncoding('latin1');
    socket.setNoDelay(true);
  }

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<Sender> {
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const lines = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Sender(socket, lines.join(''));
  }

  /** @returns the body of the answer
   *  @throws for an answer other than 2xx */
  async post(path: string, body: object): Promise<string> {
    const text = JSON.stringify(body);
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\n${this.#head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}${END_OF_HEAD}${text}`,
    );
    for (;;) {
      const answer = this.#answer();
      if (answer !== undefined) return answer;
      const [chunk] = (await once(this.#socket, 'data')) as [string];
      this.#received += chunk;
    }
  }

  #answer(): string | undefined {
    const head = this.#received.indexOf(END_OF_HEAD);
    if (head === -1) return undefined;
    const [, status = '', length = ''] =
      /^HTTP\/1\.1 (\d{3})[\s\S]*?content-length: (\d+)/i.exec(this.#received.slice(0, head)) ?? [];
    const begin = head + END_OF_HEAD.length;
    const end = begin + Number(length);
    if (this.#received.length < end) return undefined;
    const body = this.#received.slice(begin, end);
    this.#received = this.#received.slice(end);
    if (!status.startsWith('2')) throw new Error(`an answer was ${status}: ${body}`);
    return body;
  }

  close(): void {
    this.#socket.destroy();
  }
}
