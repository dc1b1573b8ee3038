/** Calls of the newest public description that are not served, and why. A call is named by the beginning of its path
 *  without the version. The test of docs/compatibility.md says when one of them is served, or another one is not. */
export const UNSERVED: readonly (readonly [beginning: string, reason: string])[] = [
  ['/cloud/apptemplates', 'There are no templates of applications.'],
  ['/cloud/bmimages', 'There are no bare metal servers that images could be for.'],
  ['/cloud/ddos', 'Protection is set by operators, not by clients.'],
  [
    '/cloud/pricing/{region_id}/ddos',
    'Protection costs nothing: operators set it, and clients cannot order it.',
  ],
  ['/cloud/reservation_cost_report', 'Nothing is reserved for a price, so that there is nothing to report.'],
  ['/cloud/user_actions/amqp_subscriptions', 'User actions are sent by webhooks.'],
  ['/cloud/user_actions/subscribe_amqp', 'User actions are sent by webhooks.'],
  ['/cloud/user_actions/unsubscribe_amqp', 'User actions are sent by webhooks.'],
];

const plain = (path: string) => path.replace(/\/v\d+(?=\/)/, '');

/** @returns why a call is not served; undefined: it should be */
export const reasonOf = (path: string): string | undefined =>
  UNSERVED.find(([beginning]) => plain(path).startsWith(beginning))?.[1];
