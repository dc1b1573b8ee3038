import { Alert, Button, Group, Modal, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, apiCall, client, every, faultOf, type Schemas, whileBusy } from '../../api/client.ts';
import { needsOf, useMay } from '../../api/may.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { Nodes, NodesSkeleton, type NodeTile } from '../../pictures/nodes.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { ConfirmDelete } from '../../ui/confirm-delete.tsx';
import { Copy } from '../../ui/copy.tsx';
import { useDelete } from '../../ui/delete-action.tsx';
import { FaultNote } from '../../ui/fault.tsx';
import { refused, startTask } from '../../ui/follow-task.tsx';
import { FromBefore } from '../../ui/from-before.tsx';
import { Card, Facts, PageHead } from '../../ui/page.tsx';
import { actionsOf, Dialogs } from '../../ui/row-form.tsx';
import { ActionsMenu } from '../../ui/row-menu.tsx';
import { Time } from '../../ui/time.tsx';
import { unread } from '../../ui/unread.ts';
import { VerbButton } from '../../ui/verb-button.tsx';
import { Changing } from './changing.tsx';
import { Connect } from './connect.tsx';
import { PodCounts } from './pods.tsx';
import { useAddPool, usePoolVerbs } from './pools.tsx';
import { removal } from './removal.ts';
import { type ClusterState, useClusterState } from './state.ts';

const CLUSTER = '/cloud/v2/k8s/clusters/{project_id}/{region_id}/{cluster_name}';

type Cluster = Schemas['K8sCluster'];
/** Of each step of a task. */
const LIVE = every(1_000);

/** One cluster: its pools, each node as a tile, its pods, live. */
export function ClusterDetail() {
  const scope = useScope();
  const { name } = useParams({ strict: false }) as { name: string };
  const path = { ...pathParams(scope), cluster_name: name };
  const cluster = useQuery({
    ...api.queryOptions('get', CLUSTER, { params: { path } }),
    ...whileBusy<Cluster>(({ task_id }) => task_id !== null),
  });
  const taskId = cluster.data?.task_id ?? '';
  const task = useQuery({
    ...api.queryOptions('get', '/cloud/v1/tasks/{task_id}', { params: { path: { task_id: taskId } } }),
    ...LIVE,
    enabled: taskId !== '',
  });
  const isUpgrade = taskId !== '' && task.data?.task_type === 'upgrade_k8s_cluster';
  const state = useClusterState(name, taskId !== '');
  const back = { to: pathIn(scope, 'kubernetes'), label: 'Kubernetes' };
  if (cluster.error && !cluster.data) {
    return (
      <>
        <PageHead title={name} back={back} />
        <FaultNote fault={faultOf(cluster.error)} retry={() => void cluster.refetch()} others={back} />
      </>
    );
  }
  if (!cluster.data)
    return (
      <>
        <PageHead title={name} back={back} />
        <Skeleton height={240} />
      </>
    );
  const { data } = cluster;
  return (
    <>
      <PageHead
        back={back}
        title={
          <>
            {data.name}{' '}
            <StatusBadge
              status={data.task_id && data.status === 'Provisioned' ? 'PENDING_UPDATE' : data.status}
            />{' '}
            <Copy value={data.id} />
          </>
        }
      >
        <KubeconfigButton name={data.name} />
        <UpgradeButton cluster={data} />
        <ClusterMenu cluster={data} />
      </PageHead>
      <FromBefore query={cluster} />
      {taskId !== '' && !task.error && <Changing task={task.data} />}
      <Facts
        facts={[
          { label: 'Version', value: data.version },
          { label: 'Nodes', value: data.pools.reduce((sum, { node_count }) => sum + node_count, 0) },
          { label: 'SSH key', value: data.keypair },
          { label: 'Created', value: <Time at={data.created_at} /> },
        ]}
      />
      {state.data?.not_served && (
        <Alert variant="light" color="red" title="It does not serve" mb="md" role="status">
          {state.data.not_served}
        </Alert>
      )}
      <Connect name={data.name} state={state} />
      {data.pools.map((pool) => (
        <Pool key={pool.id} cluster={data} pool={pool} state={state.data} isUpgrade={isUpgrade} />
      ))}
      {state.data?.pods && <PodCounts pods={state.data.pods} />}
    </>
  );
}

interface PoolProps {
  readonly cluster: Cluster;
  readonly pool: Cluster['pools'][number];
  readonly state: ClusterState | undefined;
  readonly isUpgrade: boolean;
}

function Pool({ cluster, pool, state, isUpgrade }: PoolProps) {
  const path = { ...pathParams(useScope()), cluster_name: cluster.name, pool_name: pool.name };
  const verbs = usePoolVerbs(useScope(), cluster);
  const [doomed, setDoomed] = useState<NodeTile>();
  const nodes = useQuery({
    ...api.queryOptions('get', `${CLUSTER}/pools/{pool_name}/instances`, { params: { path } }),
    ...(cluster.task_id === null ? {} : LIVE),
  });
  const drop = (id: string) =>
    apiCall('delete', `${CLUSTER}/pools/{pool_name}/instances/{instance_id}`, {
      params: { path: { ...path, instance_id: id } },
    });
  const lack = useMay()(() => drop(''));
  const known = new Map(state?.nodes.map((node) => [node.id, node]));
  const tiles = (nodes.data?.results ?? []).map(({ id, name, status }) => {
    const node = known.get(id);
    const old = isUpgrade && isOld(cluster, state, node);
    return { id, name, status, note: node && noteOf(node, isUpgrade ? old : undefined), old };
  });
  return (
    <Card
      title={pool.name}
      aside={
        <Group gap="xs">
          <StatusBadge
            status={pool.status}
            detail={`${pool.flavor_id}, ${pool.min_node_count} to ${pool.max_node_count} nodes`}
          />
          <ActionsMenu row={pool} actions={actionsOf(verbs)} />
        </Group>
      }
    >
      {nodes.error && !nodes.data ? (
        <FaultNote fault={faultOf(nodes.error)} retry={() => void nodes.refetch()} />
      ) : nodes.data ? (
        <Nodes nodes={tiles} onDelete={setDoomed} why={lack} />
      ) : (
        <NodesSkeleton count={pool.node_count} />
      )}
      <Dialogs verbs={verbs} />
      <ConfirmDelete
        name={doomed?.name}
        kind="node"
        askName={false}
        consequences="What runs on it moves to other nodes. A new node comes up in its place by itself."
        close={() => setDoomed(undefined)}
        confirm={() => doomed && void startTask(drop(doomed.id), { title: `Delete node ${doomed.name}` })}
      />
    </Card>
  );
}

/** Whether an upgrade has still to replace a node: the control plane is the first to have the new version, and the cluster
 *  shows the old one until the end. */
function isOld(
  { version }: Cluster,
  state: ClusterState | undefined,
  node: ClusterState['nodes'][number] | undefined,
): boolean {
  const controlPlane = state?.control_plane_version;
  return controlPlane === version || (node !== undefined && node.version !== controlPlane);
}

/** What a tile says of its node, beside its name.
 *  @param old whether an upgrade will replace it; undefined: there is none */
function noteOf(
  { state, version, pod_count: pods }: ClusterState['nodes'][number],
  old: boolean | undefined,
) {
  if (old === true) return 'to be replaced';
  if (state !== 'READY') return undefined;
  if (old === false) return `${version}, new`;
  return pods === null ? undefined : `${pods} ${pods === 1 ? 'pod' : 'pods'}`;
}

/** What else can be done with a cluster: another pool, its end. */
function ClusterMenu({ cluster }: { readonly cluster: Cluster }) {
  const scope = useScope();
  const navigate = useNavigate();
  const add = useAddPool(scope);
  const remove = useDelete<Cluster>({
    ...removal(scope),
    deleted: () => navigate({ to: pathIn(scope, 'kubernetes') }),
  });
  const verbs = [add, remove];
  return (
    <>
      <ActionsMenu row={cluster} actions={actionsOf(verbs)} />
      <Dialogs verbs={verbs} />
    </>
  );
}

const CONFIG = `${CLUSTER}/config`;

function KubeconfigButton({ name }: { readonly name: string }) {
  const path = { ...pathParams(useScope()), cluster_name: name };
  const download = async () => {
    const { data, error } = await client.GET(CONFIG, { params: { path } });
    if (!data) return refused(`Kubeconfig of ${name}`, error);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([data.config], { type: 'application/yaml' }));
    link.download = `${name}.kubeconfig`;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <VerbButton
      variant="default"
      onClick={() => void download()}
      call={needsOf('get', CONFIG, path.project_id)}
    >
      Download kubeconfig
    </VerbButton>
  );
}

function UpgradeButton({ cluster }: { readonly cluster: Cluster }) {
  const path = { ...pathParams(useScope()), cluster_name: cluster.name };
  const [opened, setOpened] = useState(false);
  const [version, setVersion] = useState<string | null>(null);
  const versions = useQuery({
    ...api.queryOptions('get', `${CLUSTER}/upgrade_versions`, { params: { path } }),
    enabled: opened,
  });
  const upgrade = (to: string) =>
    apiCall('post', `${CLUSTER}/upgrade`, { params: { path }, body: { version: to } });
  const start = () => {
    if (!version) return;
    void startTask(upgrade(version), { title: `Upgrade ${cluster.name} to ${version}` });
    setOpened(false);
  };
  return (
    <>
      <VerbButton
        why={cluster.task_id ? 'A task is changing the cluster' : undefined}
        call={() => upgrade('')}
        onClick={() => setOpened(true)}
      >
        Upgrade…
      </VerbButton>
      <Modal opened={opened} onClose={() => setOpened(false)} title={`Upgrade ${cluster.name}`}>
        <p>
          Nodes are replaced one at a time: a new one comes up before an old one goes. The API of the cluster
          may be away for some minutes.
        </p>
        <Select
          data-autofocus
          openOnFocus={false}
          label={`From ${cluster.version} to`}
          data={[...new Set((versions.data?.results ?? []).map((item) => item.version))]}
          error={unread(versions)}
          value={version}
          onChange={setVersion}
          placeholder={versions.data?.results.length === 0 ? 'There is no newer version' : 'Choose a version'}
        />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={() => setOpened(false)}>
            Cancel
          </Button>
          <VerbButton why={version ? undefined : 'Choose a version first'} onClick={start}>
            Upgrade
          </VerbButton>
        </Group>
      </Modal>
    </>
  );
}
