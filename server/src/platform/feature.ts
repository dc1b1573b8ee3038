import type { AttentionSource } from './attention/source.ts';
import type { CertificateSource } from './certificates/watch.ts';
import type { Route } from './http/route.ts';
import type { MailSentHook } from './mail/mailer.ts';
import type { MapSource } from './map/source.ts';
import type { Backlog } from './metrics/cluster.ts';
import type { Examples } from './openapi/examples.ts';
import type { UnservedSource } from './owners/unserved.ts';
import type { SearchSource } from './search/source.ts';
import type { Reseal } from './secrets/rotation.ts';
import type { TaskHandler } from './tasks/handler.ts';
import type { WhenLost } from './tasks/locks.ts';

/** Words of paths, as one thing; with the plural where it is not that with an `s`. */
export type Nouns = Readonly<Record<string, string | readonly [string, string]>>;

/** What a feature brings: routes for the API role, task handlers and background work for the worker role. */
export interface Feature {
  readonly name: string;
  readonly routes?: readonly Route[];
  /** What each of their tags is about, for those who read the reference. */
  readonly areas?: Readonly<Record<string, string>>;
  readonly nouns?: Nouns;
  /** What a person would send to them: a body for each shape. */
  readonly examples?: Examples;
  /** What the provider of a region must have for these routes: one of its ports or capabilities. Absent: they
   *  work in every region. */
  readonly needs?: string;
  readonly tasks?: readonly TaskHandler[];
  /** What becomes of its rows when the task that holds them does not say so. */
  readonly held?: readonly WhenLost[];
  readonly background?: readonly BackgroundJob[];
  /** Encrypts what the feature keeps encrypted anew, when the master key changes. */
  readonly reseal?: Reseal;
  /** Further metrics, in the text format of Prometheus; they name resources, so that only operators see them. */
  readonly operatorMetrics?: () => Promise<string>;
  /** Which certificates it serves with. */
  readonly certificates?: CertificateSource;
  /** What of it somebody should look at. */
  readonly attention?: AttentionSource;
  /** What of it regions of machines do not serve. */
  readonly unserved?: UnservedSource;
  /** What of it is on the map of a project. */
  readonly mapped?: MapSource;
  /** Where a search finds its nouns. */
  readonly searched?: readonly SearchSource[];
  /** What of it waits, for everybody's metrics. */
  readonly backlogs?: readonly Backlog[];
  /** What to do when a mail of a kind has been sent. */
  readonly mailSent?: Readonly<Record<string, MailSentHook>>;
}

/** Work that goes on as long as the worker lives. */
export interface BackgroundJob {
  readonly name: string;
  /** Milliseconds between the end of one run and the start of the next. */
  readonly everyMs: number;
  /** Only one worker on the database runs it at a time. */
  readonly exclusive: boolean;
  /** Run once before the server says that it is ready, and fail the start when it fails. */
  readonly beforeReady?: boolean;
  /** Run at once when this node has become the owner of a region. */
  readonly afterTakeOver?: boolean;
  run(signal: AbortSignal): Promise<void>;
}
