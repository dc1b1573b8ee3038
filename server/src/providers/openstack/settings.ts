/** What a region's entry says of a cloud of OpenStack. */
export interface OpenStackSettings {
  /** Of Keystone, with its version: `https://keystone.example.com:5000/v3`. */
  readonly auth_url: string;
  /** What the cloud calls the region. */
  readonly region_name: string;
  readonly interface?: 'public' | 'internal';
  readonly credential: SealedCredential;
  /** Where load balancers get addresses unless they ask for others; one of the project's own subnets. */
  readonly vip: { readonly subnet_id: string; readonly cidr: string };
  /** Where floating IPs come from; absent: there are none. */
  readonly external?: { readonly network_id: string; readonly cidr: string };
  readonly load_balancers?: LoadBalancerSettings;
  /** Machines of Nova; absent: the region has none. They need volumes. */
  readonly instances?: InstanceSettings;
  /** Volumes of Cinder and images of Glance; absent: the region has none. */
  readonly volumes?: VolumeSettings;
  /** What is done about what somebody has changed there by hand: `repair` (default) or `keep`. What was deleted comes
   *  back all the same. */
  readonly drift?: 'repair' | 'keep';
}

/** An application credential, as `virga region seal` writes it. */
export interface SealedCredential {
  readonly id: string;
  /** Base64; opens under the master key that `key_id` names. */
  readonly sealed: string;
  readonly key_id: string;
}

export interface LoadBalancerSettings {
  /** Of the driver in Octavia. */
  readonly provider?: string;
  /** By Virga's flavors; those that are absent are not offered where any is named. */
  readonly flavors?: Readonly<Record<string, string>>;
  /** Whether certificates and their keys are given to the cloud's key manager (Barbican), so that load balancers can end
   *  TLS. */
  readonly key_manager?: boolean;
  /** Other subnets in which members may be: some drivers must know which. */
  readonly member_subnets?: readonly { readonly subnet_id: string; readonly cidr: string }[];
}

export interface InstanceSettings {
  /** The cloud's ids of its flavors, by Virga's; others are not offered. */
  readonly flavors: Readonly<Record<string, string>>;
}

export interface VolumeSettings {
  /** The cloud's types, by Virga's; others are not offered. */
  readonly types: Readonly<Record<string, string>>;
  /** Images of the cloud that every project sees. */
  readonly images?: readonly ImageSettings[];
}

export interface ImageSettings {
  /** The cloud's id of it. */
  readonly image_id: string;
  readonly name: string;
  readonly distro: string;
  readonly version: string;
  readonly os_type?: 'linux' | 'windows';
  /** GiB. */
  readonly min_disk?: number;
  /** MiB. */
  readonly min_ram?: number;
}

/** What signs in. */
export interface Credential {
  readonly id: string;
  readonly secret: string;
}
