import type { BackgroundJob } from '../feature.ts';
import type { Db } from './db.ts';
import { compareVersions } from './versions.ts';

/** The first version whose statements count mail, clients, requests for limits, user actions and targets of webhooks;
 *  before, triggers did, or nobody. */
const COUNTS_ITSELF = '0.3.0';
const LOOK_EVERY_MS = 10_000;

/** Counts mail, clients, requests for limits, targets of webhooks, and the user actions that nobody has counted, anew
 *  whenever the last older node is gone. Nobody knows what ran before this node either, so that it counts once at its
 *  beginning. */
export function recountAfterOlderNodes(db: Db): BackgroundJob {
  let due = true;
  return {
    ...{ name: 'recount', everyMs: LOOK_EVERY_MS, exclusive: true },
    run: async () => {
      if (await olderNodes(db)) due = true;
      else if (due) {
        await db.named(
          'recount',
          `select recount_what_is_counted_by_statements(), recount_webhook_targets(), count_late_user_actions()`,
          [],
        );
        due = false;
      }
    },
  };
}

/** Whether one is at work, or fell silent within the last hour and may come back. */
async function olderNodes(db: Db): Promise<boolean> {
  const rows = await db.named<{ version: string }>(
    'recount_versions',
    'select distinct version from nodes',
    [],
  );
  return rows.some(({ version }) => compareVersions(version, COUNTS_ITSELF) < 0);
}
