import type { Operation, Progress } from '../../kernel/operation.ts';
import type { SeriesWindow } from '../../kernel/series.ts';
import type { Power } from './model.ts';

/** What a region's provider must be able to do for instances. */
export interface InstanceProvider {
  /** Ids of the flavors that the region offers; absent: all. */
  readonly flavors?: readonly string[];
  /** Why instances cannot join or leave a server group once they are there; absent: they can. */
  readonly regroupFault?: string;
  /** What has become of instances on which no task works. Only what is known is named. Absent: nothing changes there by
   *  itself. @param failed those of which it was said before that they have
   *  @throws when the region cannot be asked */
  observe?(ids: readonly string[], failed: ReadonlySet<string>): Promise<ReadonlyMap<string, SeenInstance>>;
  /** Whether this node is the one that looks at the region at present. Absent: any. */
  mayLook?(): Promise<boolean>;
  /** Makes the instance be as desired. One that is not there is made, with `first` for its first boot; one that has
   *  booted less often than desired is restarted, softly where the operation says so.
   *  @throws TaskFailed when it cannot be done */
  applyInstance(desired: DesiredInstance, first: FirstBoot | null, operation: Operation): Promise<Progress>;
  /** Forgets the instance; its volumes and addresses are not its own. One that is not there is fine.
   *  @throws TaskFailed when it cannot be done */
  removeInstance(id: string, operation: Operation): Promise<Progress>;
  /** Where the console of a running instance is; absent: the instances have none. */
  consoleOf?(id: string, kind: string | undefined): Promise<InstanceConsole>;
  /** What an instance has used, on average, in each step of the window that it has lived through; oldest first. */
  readUse(instance: ObservedInstance, window: SeriesWindow): Promise<readonly InstanceUse[]>;
}

/** What it does, or why it does nothing any more. */
export type SeenInstance = { readonly power: Power } | { readonly failed: string };

export interface InstanceConsole {
  readonly url: string;
  /** `novnc`, `serial` and the like. */
  readonly type: string;
  readonly protocol: string;
}

export interface ObservedInstance {
  readonly id: string;
  readonly since: Date;
  /** Names of its disks. */
  readonly disks: readonly string[];
}

/** Percent, and bytes, packets or operations a second; null: not measured. */
export interface InstanceUse {
  /** The end of the step. */
  readonly at: Date;
  readonly cpuUtil: number | null;
  readonly memoryUtil: number | null;
  readonly disks: readonly {
    readonly name: string;
    readonly bytesRead: number | null;
    readonly bytesWritten: number | null;
    readonly reads: number | null;
    readonly writes: number | null;
  }[];
  readonly network: {
    readonly bytesIn: number | null;
    readonly bytesOut: number | null;
    readonly packetsIn: number | null;
    readonly packetsOut: number | null;
  };
}

export interface DesiredInstance {
  readonly id: string;
  readonly flavor: {
    readonly id: string;
    readonly vcpus: number;
    /** MiB. */
    readonly ram: number;
    readonly gpus: number;
  };
  readonly power: Power;
  /** How often it shall have been started anew on somebody's behalf. */
  readonly boots: number;
  /** In the order in which the instance sees them. */
  readonly interfaces: readonly DesiredInterface[];
  /** Ids, the one that it boots from first. */
  readonly volumes: readonly string[];
  /** The instances of a group belong together on one host, or apart. */
  readonly serverGroup: { readonly id: string; readonly policy: string } | null;
}

export interface DesiredInterface {
  readonly portId: string;
  readonly networkId: string;
  readonly macAddress: string;
  readonly addresses: readonly string[];
}

/** What an instance is given once. */
export interface FirstBoot {
  readonly hostname: string;
  readonly sshPublicKey: string | null;
  /** Base64. */
  readonly userData: string | null;
  readonly username: string | null;
  readonly password: string | null;
}

/** Type of the operation that undoes what another one of the same task did. */
export const RESTORE_INSTANCE = 'restore_vm';
