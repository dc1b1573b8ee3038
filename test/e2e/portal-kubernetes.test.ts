import { writeFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { Kubectl } from '../harness/kubectl.ts';
import { addSshKeyCall } from '../harness/kubernetes.ts';
import { installedKubernetes } from '../harness/kubernetes-lab.ts';
import { BUDGET, SERVICE, WEB } from '../harness/kubernetes-objects.ts';
import { waitUntil } from '../harness/wait.ts';
import { sharedPortal } from './portal/harness.ts';

/** A real cluster in the portal, for the pictures of its recipe: npm run screenshots. What the page shows of simulated
 *  ones is in the other stories. */

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const installed = await installedKubernetes(['containerd', 'coredns']);
const why =
  process.env.VIRGA_TEST_SCREENSHOTS === 'on'
    ? installed.fault
    : 'it only makes pictures: npm run screenshots';

/** It fits on no node. */
const REPORT = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'report' },
  spec: {
    containers: [
      { name: 'report', image: 'virga.local/shell:1', resources: { requests: { cpu: '8', memory: '16Gi' } } },
    ],
  },
};

describe.skipIf(why !== undefined)(`a real cluster${why ? `: skipped, ${why}` : ''}`, () => {
  const portal = sharedPortal();
  const [from = '', to = from] = installed.versions.slice(-2);
  let kubectl: Kubectl;

  test('the page of a cluster says how many pods it has, and why one is not ready', async () => {
    const { page, virga } = portal;
    const { method, path, body } = addSshKeyCall;
    await virga.call(method, path, body);
    const pool = {
      name: 'workers',
      flavor_id: 'g1-standard-2-4',
      min_node_count: 2,
      auto_healing_enabled: true,
    };
    const cluster = { name: 'lab', version: from, keypair: body.name, pools: [pool] };
    const task = await virga.ended(await virga.call('POST', '/cloud/v2/k8s/clusters/1/1', cluster));
    expect(task.error).toBeNull();
    const config = await virga.call('GET', '/cloud/v2/k8s/clusters/1/1/lab/config');
    const file = portal.kept('lab.yaml');
    writeFileSync(file, config.body.config, { mode: 0o600 });
    const newest = `kubernetes-${installed.versions.at(-1)?.slice(1)}`;
    kubectl = new Kubectl(installed.engines.programOf(newest) ?? '', file);
    for (const each of [WEB, BUDGET, SERVICE, REPORT]) await kubectl.apply(each);
    await kubectl.run('rollout', 'status', 'deployment/web');
    await portal.go(1, 'kubernetes/lab');
    await page.getByRole('table', { name: 'Pods that are not ready' }).getByText('Unschedulable').waitFor();
    await page.getByRole('table', { name: 'Pods', exact: true }).getByText('default').waitFor();
    await portal.picture('kubernetes-cluster');
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await portal.barriers()).toEqual([]);
        const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
        expect(await page.evaluate(overflow)).toBe(0);
      }
    }
    await kubectl.run('delete', 'pod', 'report', '--force');
  });

  test('an upgrade shows which nodes are new', async () => {
    const { page } = portal;
    await page.getByRole('button', { name: 'Upgrade…' }).click();
    await page.getByRole('combobox', { name: /^From/ }).click();
    await page.getByRole('option', { name: to }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Upgrade' }).click();
    await page.getByText(`${to}, new`).first().waitFor({ timeout: 120_000 });
    await page.getByText('to be replaced').first().waitFor();
    await portal.picture('kubernetes-upgrade');
    const settled = async () =>
      (await portal.virga.call('GET', '/cloud/v2/k8s/clusters/1/1/lab')).body.task_id === null;
    await waitUntil(settled, { what: 'the upgrade to end' });
  });

  test('the load balancer of its service is one like any other', async () => {
    const { page, virga } = portal;
    const { body } = await virga.call('GET', '/cloud/v1/loadbalancers/1/1');
    await portal.go(1, `load-balancers/${body.results[0].id}`);
    await page.getByText('kube_service_lab_default_web').first().waitFor();
    await page.locator('[data-node][data-meaning="good"]').first().waitFor();
    await portal.picture('kubernetes-load-balancer');
  });
});
