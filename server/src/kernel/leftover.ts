/** Resources that have files on the machine that serves their region. */
export type LeftoverKind =
  | 'k8s_cluster'
  | 'load_balancer'
  | 'object_storage'
  | 'postgresql_cluster'
  | 'sftp_storage';

/** What a machine has files of, or may have after its deletion. */
export interface Leftover {
  readonly kind: LeftoverKind;
  readonly id: string;
  /** The task that made it, of what is known by a number: another database gives the same ones. Null: its id is unique. */
  readonly creator: string | null;
}
