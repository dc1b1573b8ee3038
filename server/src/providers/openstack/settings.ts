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
  /** Other subnets in which members may be: some drivers must know which. */
  readonly member_subnets?: readonly { readonly subnet_id: string; readonly cidr: string }[];
}

/** What signs in. */
export interface Credential {
  readonly id: string;
  readonly secret: string;
}
