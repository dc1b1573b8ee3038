import { realpathSync } from 'node:fs';
import path from 'node:path';
import { INSTALLATION } from '../installation.ts';
import { accountOf } from '../kernel/engine-accounts.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import type { Config } from '../startup/config.ts';
import { EdgeProcess, reportSettings } from './edge-process.ts';
import { keepReporterToken, type ReporterTokenOptions } from './reporter-token.ts';

export interface EdgeBesideOptions extends ReporterTokenOptions {
  readonly config: Pick<Config, 'dataDir' | 'video' | 'tls'>;
  /** Of the API, which serves already. */
  readonly url: string;
  /** With which videos are signed. */
  readonly secrets: readonly string[];
  readonly log: Logger;
  /** Milliseconds until what failed is tried again. Default: two seconds. */
  readonly againMs?: number;
}

const AGAIN_MS = 2000;

/** The token with which edges report, and the edge beside a server that is ready, unless there shall be none. What
 *  fails is tried again: the server serves without them. */
export class EdgeBeside {
  readonly #options: EdgeBesideOptions;
  #edge: EdgeProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopping = false;

  constructor(options: EdgeBesideOptions) {
    this.#options = options;
  }

  /** Resolves when it was tried once; never throws. */
  async start(): Promise<void> {
    this.#working = this.#tryOnce();
    await this.#working;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    await this.#working;
    await this.#edge?.stop();
  }

  async #tryOnce(): Promise<void> {
    const { config, url, log, againMs = AGAIN_MS } = this.#options;
    try {
      // Also without an edge beside it: those on other machines need the token.
      const token = await keepReporterToken(this.#options);
      if (!config.video.edge.enabled || this.#stopping) return;
      this.#edge = this.#newEdge(reportSettings(url, token));
      this.#edge.start();
    } catch (error) {
      log.warn(
        `the token with which edges report could not be kept, and is tried again: ${messageOf(error)}`,
      );
      if (!this.#stopping) this.#timer = setTimeout(() => void this.start(), againMs);
    }
  }

  #newEdge(report: Readonly<Record<string, string>>): EdgeProcess {
    const { config, secrets, log } = this.#options;
    // The same folder seen from server/src and from the bundle in server/dist.
    const script = path.join(INSTALLATION, 'edge/dist/main.js');
    const settings = {
      VIRGA_DATA_DIR: config.dataDir,
      VIRGA_VIDEO_SECRETS: secrets.join(','),
      ...bucketKey(config.video.edge.origin),
      ...reporting(config, report),
    };
    const account = accountOf(path.join(realpathSync(config.dataDir), 'edge-home'));
    return new EdgeProcess({ script, settings, log, account });
  }
}

/** The key of the edge's bucket, which may have come from a file. */
function bucketKey(origin: Config['video']['edge']['origin']): Readonly<Record<string, string>> {
  return 'bucket' in origin ? { VIRGA_EDGE_S3_CREDENTIALS: `${origin.accessKey}:${origin.secretKey}` } : {};
}

/** Nowhere by itself when the API speaks TLS: its certificate is for another name than that of this machine here. */
function reporting(
  { video, tls }: Pick<Config, 'video' | 'tls'>,
  own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const { report } = video.edge;
  if (report) return { VIRGA_EDGE_REPORT_URL: report.url, VIRGA_EDGE_REPORT_TOKEN: report.token };
  return tls ? {} : own;
}
