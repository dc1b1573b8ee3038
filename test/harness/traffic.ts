import http from 'node:http';

/** @throws when there is no answer within two seconds */
export const textOf = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const sent = http.get(url, { agent: false, timeout: 2_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () => resolve(text.trim())).once('error', reject);
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer'))).once('error', reject);
  });

/** Asks again and again, one at a time. */
export class Traffic {
  #answered = 0;
  readonly #failed: string[] = [];
  #stopped = false;
  readonly #running: Promise<void>;

  constructor(address: string) {
    this.#running = this.#run(address);
  }

  async stop(): Promise<{ readonly answered: number; readonly failed: readonly string[] }> {
    this.#stopped = true;
    await this.#running;
    return { answered: this.#answered, failed: this.#failed };
  }

  async #run(address: string): Promise<void> {
    while (!this.#stopped) {
      try {
        await textOf(address);
        this.#answered += 1;
      } catch (error) {
        this.#failed.push((error as Error).message);
      }
    }
  }
}
