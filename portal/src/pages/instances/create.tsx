import { useQueries } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { api, apiCall } from '../../api/client.ts';
import { pathIn, pathParams } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { TopologyPicture } from '../../pictures/topology.tsx';
import { useDraft } from '../../ui/drafts.tsx';
import { followTask, pageOfTask } from '../../ui/follow-task.tsx';
import { Card } from '../../ui/page.tsx';
import { Wizard } from '../../ui/wizard.tsx';
import { ConnectionFields, InstanceFields, MoreFields, VolumeFields } from './create-fields.tsx';
import { bodyOf, type Draft, draftTopology, EMPTY, terraformOf } from './draft.ts';
import { QuotaAfter } from './quota-after.tsx';

const KNOWN = /^(name|flavor|ssh_key_name|user_data|servergroup_id|volumes\.\d+(\.|$)|interfaces\.\d+(\.|$))/;

// Image and size are the first that there are until another is chosen.
const isTyped = ({ image: _, flavor: __, ...typed }: Draft) => {
  const { image: ___, flavor: ____, ...empty } = EMPTY;
  return JSON.stringify(typed) !== JSON.stringify(empty);
};

type PathOfScope = ReturnType<typeof pathParams>;

/** Of what the draft connects to: the network of each subnet, and how each is called. */
function useTargets({ interfaces }: Draft, path: PathOfScope) {
  const targets = (kind: Draft['interfaces'][number]['type']) => [
    ...new Set(interfaces.flatMap(({ type, target }) => (type === kind && target ? [target] : []))),
  ];
  const subnets = useQueries({
    queries: targets('subnet').map((subnet_id) =>
      api.queryOptions('get', '/cloud/v1/subnets/{project_id}/{region_id}/{subnet_id}', {
        params: { path: { ...path, subnet_id } },
      }),
    ),
  }).flatMap(({ data }) => data ?? []);
  const networks = useQueries({
    queries: targets('any_subnet').map((network_id) =>
      api.queryOptions('get', '/cloud/v1/networks/{project_id}/{region_id}/{network_id}', {
        params: { path: { ...path, network_id } },
      }),
    ),
  }).flatMap(({ data }) => data ?? []);
  return {
    networkOf: (id: string) => subnets.find((one) => one.id === id)?.network_id ?? '',
    nameOf: (id: string) => [...subnets, ...networks].find((one) => one.id === id)?.name,
  };
}

/** A wizard on one page: the picture, the quota and the code follow each key pressed. */
export function CreateInstance() {
  const scope = useScope();
  const navigate = useNavigate();
  const path = pathParams(scope);
  const kept = useDraft<Draft>(location.pathname, () => EMPTY, isTyped);
  const draft = kept.value;
  const change = (next: Partial<Draft>) => kept.set((before) => ({ ...before, ...next }));
  const { networkOf, nameOf } = useTargets(draft, path);
  const list = pathIn(scope, 'instances');
  const body = bodyOf(draft, networkOf);
  const created = async ({ tasks: [task] }: { tasks: readonly string[] }) => {
    if (task) followTask(task, { title: `Create ${draft.name}` });
    return navigate({ to: (task && (await pageOfTask(task))) ?? list });
  };
  return (
    <Wizard
      title="Create instance"
      about="Say what it starts from, how large it is and where it is connected."
      back={{ to: list, label: 'Instances' }}
      request={apiCall('post', '/cloud/v2/instances/{project_id}/{region_id}', { params: { path }, body })}
      terraform={terraformOf(body, scope)}
      draft={kept}
      done={created}
      known={(field) => KNOWN.test(field)}
      fields={(errorOf) => {
        const props = { draft, change, errorOf };
        return (
          <>
            <InstanceFields {...props} />
            <VolumeFields {...props} />
            <ConnectionFields {...props} />
            <MoreFields {...props} />
          </>
        );
      }}
      outcome={
        <>
          <Card title="Preview">
            <TopologyPicture
              topology={draftTopology(draft, nameOf)}
              label="The instance that will be created"
            />
          </Card>
          <QuotaAfter draft={draft} />
        </>
      }
    />
  );
}
