import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { ErrorPage, NoSuchPage, NotFoundPage, PortalError } from './error-page.tsx';
import { Frame } from './frame.tsx';
import { ensureScope, homePath } from './home.ts';
import { lazyPage, NotHereAlone } from './lazy-page.tsx';
import { requireSession } from './session.ts';

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: NotFoundPage,
  errorComponent: PortalError,
});

type Load = () => Promise<Record<string, unknown>>;

/** Makes pages below a route; the code of each is loaded when it is opened first. */
const pagesBelow = (parent: AnyRoute, missing?: ComponentType) => (path: string, load: Load, name: string) =>
  createRoute({ getParentRoute: () => parent, path, component: lazyPage(load, name, missing) });

/** A page for people who are not signed in. */
const door = pagesBelow(root, NotHereAlone);

const doors = [
  door('/sign-in', () => import('./sign-in.tsx'), 'SignIn'),
  door('/password/forgotten', () => import('./password.tsx'), 'ForgottenPassword'),
  door('/password/new', () => import('./password.tsx'), 'NewPassword'),
  door('/password/email', () => import('./password.tsx'), 'ConfirmEmail'),
  door('/second-factor', () => import('./enrol-door.tsx'), 'EnrolDoor'),
  door('/invitation/open', () => import('./invitation.tsx'), 'Invitation'),
];

/** Everything below needs somebody signed in, and stands in the frame. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  beforeLoad: async (options) => {
    await requireSession(options);
    await ensureScope();
  },
  component: Frame,
});

const home = createRoute({
  getParentRoute: () => inside,
  path: '/',
  beforeLoad: async () => {
    throw redirect({ to: await homePath(), replace: true });
  },
});

const scope = createRoute({
  getParentRoute: () => inside,
  path: '/projects/$project/regions/$region',
  notFoundComponent: NoSuchPage,
});

/** A page of a project in a region. */
const page = pagesBelow(scope);

const pages = [
  page('/', () => import('../pages/overview/overview.tsx'), 'Overview'),
  page('/load-balancers', () => import('../pages/load-balancers/list.tsx'), 'LoadBalancers'),
  page('/load-balancers/new', () => import('../pages/load-balancers/create.tsx'), 'CreateLoadBalancer'),
  page('/load-balancers/$id', () => import('../pages/load-balancers/detail.tsx'), 'LoadBalancerDetail'),
  page('/networks', () => import('../pages/networks/list.tsx'), 'Networks'),
  page('/networks/$id', () => import('../pages/networks/detail.tsx'), 'NetworkDetail'),
  page('/floating-ips', () => import('../pages/floating-ips/list.tsx'), 'FloatingIps'),
  page('/routers', () => import('../pages/routers/list.tsx'), 'Routers'),
  page('/routers/$id', () => import('../pages/routers/detail.tsx'), 'RouterDetail'),
  page('/ports', () => import('../pages/ports/list.tsx'), 'Ports'),
  page('/reserved-ips', () => import('../pages/reserved-ips/list.tsx'), 'ReservedIps'),
  page('/security-groups', () => import('../pages/security-groups/list.tsx'), 'SecurityGroups'),
  page('/security-groups/$id', () => import('../pages/security-groups/detail.tsx'), 'SecurityGroupDetail'),
  page('/kubernetes', () => import('../pages/kubernetes/list.tsx'), 'Clusters'),
  page('/kubernetes/$name', () => import('../pages/kubernetes/detail.tsx'), 'ClusterDetail'),
  page('/instances', () => import('../pages/instances/list.tsx'), 'Instances'),
  page('/instances/new', () => import('../pages/instances/create.tsx'), 'CreateInstance'),
  page('/instances/$id', () => import('../pages/instances/detail.tsx'), 'InstanceDetail'),
  page('/volumes', () => import('../pages/volumes/list.tsx'), 'Volumes'),
  page('/volumes/$id', () => import('../pages/volumes/detail.tsx'), 'VolumeDetail'),
  page('/snapshots', () => import('../pages/snapshots/list.tsx'), 'Snapshots'),
  page('/lifecycle-policies', () => import('../pages/lifecycle-policies/list.tsx'), 'LifecyclePolicies'),
  page('/images', () => import('../pages/images/list.tsx'), 'Images'),
  page('/server-groups', () => import('../pages/server-groups/list.tsx'), 'ServerGroups'),
  page('/ssh-keys', () => import('../pages/ssh-keys/list.tsx'), 'SshKeys'),
  page('/secrets', () => import('../pages/secrets/list.tsx'), 'Secrets'),
  page('/inference-secrets', () => import('../pages/inference-secrets/list.tsx'), 'InferenceSecrets'),
  page(
    '/registry-credentials',
    () => import('../pages/registry-credentials/list.tsx'),
    'RegistryCredentials',
  ),
  page('/databases', () => import('../pages/databases/list.tsx'), 'Databases'),
  page('/databases/$name', () => import('../pages/databases/detail.tsx'), 'DatabaseDetail'),
  page('/storages', () => import('../pages/storages/list.tsx'), 'Storages'),
  page('/storages/$id', () => import('../pages/storages/detail.tsx'), 'StorageDetail'),
  page('/storage', () => import('../pages/storage/notifications.tsx'), 'StorageNotifications'),
  page('/response-pages', () => import('../pages/response-pages/list.tsx'), 'ResponsePages'),
  page('/response-pages/new', () => import('../pages/response-pages/designer.tsx'), 'PageDesigner'),
  page('/response-pages/$id', () => import('../pages/response-pages/designer.tsx'), 'PageDesigner'),
  page('/video', () => import('../pages/video/tester.tsx'), 'VideoTester'),
  page('/quotas', () => import('../pages/quotas/quotas.tsx'), 'Quotas'),
  page('/tasks', () => import('../pages/tasks/list.tsx'), 'Tasks'),
  page('/tasks/$id', () => import('../pages/tasks/detail.tsx'), 'TaskDetail'),
];

/** A page of the account, which belongs to no project. */
const account = pagesBelow(inside);

const accountPages = [
  account('/account/tokens', () => import('../pages/account/tokens.tsx'), 'ApiTokens'),
  account('/account/people', () => import('../pages/account/people.tsx'), 'People'),
  account('/account/sessions', () => import('../pages/account/sessions.tsx'), 'Sessions'),
  account('/account/second-factors', () => import('../pages/account/second-factors.tsx'), 'SecondFactors'),
  account('/account/activity', () => import('../pages/account/activity.tsx'), 'Activity'),
  account('/account/audit', () => import('../pages/account/audit.tsx'), 'AuditLog'),
  account('/account/subscriptions', () => import('../pages/account/subscriptions.tsx'), 'Subscriptions'),
];

/** Any other address: it keeps the frame. */
const nowhere = createRoute({ getParentRoute: () => inside, path: '$', component: NoSuchPage });

/** Pages of those who run the cloud, behind their own token. */
const operator = createRoute({
  getParentRoute: () => inside,
  path: '/operator',
  component: lazyPage(() => import('../pages/operator/gate.tsx'), 'OperatorGate'),
});

const operatorPage = pagesBelow(operator);

const operatorPages = [
  operatorPage('/', () => import('../pages/operator/clients.tsx'), 'Clients'),
  operatorPage('/clients', () => import('../pages/operator/clients.tsx'), 'Clients'),
  operatorPage('/clients/$id', () => import('../pages/operator/client.tsx'), 'ClientDetail'),
  operatorPage('/quota-requests', () => import('../pages/operator/quota-requests.tsx'), 'QuotaRequests'),
  operatorPage('/regions', () => import('../pages/operator/regions.tsx'), 'Regions'),
  operatorPage('/tasks', () => import('../pages/operator/tasks.tsx'), 'AllTasks'),
  operatorPage('/nodes', () => import('../pages/operator/nodes.tsx'), 'Nodes'),
  operatorPage('/simulation', () => import('../pages/operator/simulation.tsx'), 'Simulation'),
  operatorPage('/outbox', () => import('../pages/operator/outbox.tsx'), 'Outbox'),
  operatorPage('/webhooks', () => import('../pages/operator/webhooks.tsx'), 'WebhookTargets'),
  operatorPage('/deliveries', () => import('../pages/operator/webhooks.tsx'), 'Deliveries'),
];

export const router = createRouter({
  routeTree: root.addChildren([
    ...doors,
    inside.addChildren([
      home,
      scope.addChildren(pages),
      ...accountPages,
      operator.addChildren(operatorPages),
      nowhere,
    ]),
  ]),
  // The frame stays around a page that fails.
  defaultErrorComponent: ErrorPage,
  defaultPreload: 'intent',
  defaultPendingMinMs: 0,
  scrollRestoration: true,
  // Addresses are read and typed by people: all that stands in them is text, `?limit=1000` and not `%221000%22`.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Readonly<Record<string, unknown>>) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
    return text && `?${text}`;
  },
});
