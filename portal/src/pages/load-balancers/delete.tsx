import { apiCall } from '../../api/client.ts';
import { pathParams, type Scope } from '../../api/scope.ts';
import { useScope } from '../../app/scope.ts';
import { ConfirmDelete } from '../../ui/confirm-delete.tsx';
import { type DeleteOptions, whyBusy } from '../../ui/delete-action.tsx';
import { startTask } from '../../ui/follow-task.tsx';
import type { RowAction } from '../../ui/row-menu.tsx';
import type { LoadBalancer } from './list.tsx';

interface DeleteProps {
  readonly lb: LoadBalancer | undefined;
  readonly close: () => void;
  readonly deleted?: () => void;
}

/** The call that deletes a load balancer. */
const deletionOf = (scope: Scope, id: string) =>
  apiCall('delete', '/cloud/v1/loadbalancers/{project_id}/{region_id}/{load_balancer_id}', {
    params: { path: { ...pathParams(scope), load_balancer_id: id } },
  });

/** The entry of the menu that asks before. */
export const deleteAction = (
  scope: Scope,
  run: (lb: LoadBalancer) => void,
  disabled: RowAction<LoadBalancer>['disabled'] = whyBusy,
) => ({
  label: 'Delete…',
  run,
  call: ({ id }: LoadBalancer) => deletionOf(scope, id),
  danger: true,
  disabled,
});

const carriesOf = ({ listeners }: LoadBalancer) => listeners.length > 0;

function consequencesOf({ name, vip_address, listeners }: LoadBalancer): string {
  const { length } = listeners;
  if (length === 0) return 'It has no listeners, so no traffic stops.';
  return `${vip_address ?? name} stops answering on ${length} ${length === 1 ? 'listener' : 'listeners'}. Its listeners, pools and members go with it; the servers behind it stay.`;
}

/** How several are deleted at once. */
export const severalDeleted = (scope: Scope): DeleteOptions<LoadBalancer> => ({
  kind: 'load balancer',
  consequences: consequencesOf,
  askName: carriesOf,
  call: ({ id }) => deletionOf(scope, id),
  disabled: whyBusy,
});

/** The question before a load balancer is deleted. */
export function DeleteLoadBalancer({ lb, close, deleted }: DeleteProps) {
  const scope = useScope();
  return (
    <ConfirmDelete
      name={lb?.name}
      kind="load balancer"
      askName={lb !== undefined && carriesOf(lb)}
      consequences={lb && consequencesOf(lb)}
      close={close}
      confirm={() => {
        if (!lb) return;
        void startTask(deletionOf(scope, lb.id), {
          title: `Delete ${lb.name}`,
          onEnd: ({ state }) => state === 'FINISHED' && deleted?.(),
        });
      }}
    />
  );
}
