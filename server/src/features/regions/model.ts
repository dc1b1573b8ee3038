import type { Static } from '@sinclair/typebox';
import type { ExternalService } from '../../kernel/capacity.ts';
import { zuluTime } from '../../kernel/codecs.ts';
import type { RowOf } from '../../platform/database/rows.ts';
import type { Region } from './schema.ts';

/** Addresses of a local region that others can reach. */
export interface RegionAddressPool {
  /** A network: `203.0.113.16/28`. */
  readonly range: string;
  /** Of the machine: `eth0`. */
  readonly interface: string;
  /** Addresses and networks of it that are others'. */
  readonly exclude?: readonly string[];
}

/** What a region's file entry may say of it; everything has a default. */
export interface RegionSettings {
  readonly access_level?: 'core' | 'edge';
  readonly zone?: 'AMERICAS' | 'APAC' | 'EMEA' | 'RUSSIA_AND_CIS' | null;
  readonly country?: string;
  readonly coordinates?: { readonly latitude: string; readonly longitude: string } | null;
  readonly volume_types?: readonly string[];
  /** The node (VIRGA_NODE) on whose machine its programs shall run; only where they run on a machine. */
  readonly node?: string;
  /** The nodes of which any may serve it, another when the one that does is silent. */
  readonly nodes?: readonly string[];
  /** Where its addresses come from, which others can reach; only where its programs run on a machine. */
  readonly addresses?: readonly RegionAddressPool[];
  /** What else gets its addresses from there; all other services stay on loopback. */
  readonly external_services?: readonly ExternalService[];
  /** Below how much of what is free it warns, and creates nothing more: in GiB, or addresses. */
  readonly capacity?: Readonly<
    Partial<Record<'disk' | 'memory' | 'addresses', { readonly warn: number; readonly stop: number }>>
  >;
  /** Where access logs that are destined for this region go: `syslog+tcp://host:port` or `syslog+udp://host:port`. */
  readonly log_collector?: string;
  /** Rates of seeded failures, 0 to 1, by the kind of work or the condition of nodes; simulated regions only. */
  readonly faults?: Readonly<Record<string, number>>;
  /** How the cloud of another maker that serves it is reached; its provider knows the form. */
  readonly openstack?: object;
  /** Other faults, as the file of regions names them. */
  readonly fault_rules?: readonly { readonly kind: string; readonly rule: object }[];
}

export const REGION_COLUMNS = [
  'id',
  'display_name',
  'slug',
  'state',
  'provider',
  'settings',
  'created_at',
] as const;

export interface RegionRow
  extends RowOf<
    'regions',
    typeof REGION_COLUMNS,
    { state: typeof import('./schema.ts').REGION_STATES[number]; settings: RegionSettings }
  > {
  /** The region's own network. */
  readonly external_network_id: string | null;
}

/** What a region's provider can do here and now. */
export interface Capabilities {
  readonly kvm: boolean;
  readonly baremetal: boolean;
  readonly k8s: boolean;
  readonly dbaas: boolean;
  readonly containers: boolean;
  readonly inference: boolean;
}

export const NO_CAPABILITIES: Capabilities = {
  kvm: false,
  baremetal: false,
  k8s: false,
  dbaas: false,
  containers: false,
  inference: false,
};

export function viewRegion(row: RegionRow, can: Capabilities): Static<typeof Region> {
  const { settings } = row;
  return {
    id: row.id,
    display_name: row.display_name,
    slug: row.slug,
    state: row.state,
    access_level: settings.access_level ?? 'core',
    zone: settings.zone ?? null,
    country: settings.country ?? 'ZZ',
    coordinates: settings.coordinates ?? null,
    has_kvm: can.kvm,
    has_baremetal: can.baremetal,
    has_basic_vm: can.kvm,
    has_k8s: can.k8s,
    has_dbaas: can.dbaas,
    has_ddos: false,
    has_sfs: false,
    has_ai: false,
    has_ai_gpu: false,
    available_volume_types: [...(settings.volume_types ?? [])],
    file_share_types: null,
    endpoint_type: 'public',
    external_network_id: row.external_network_id,
    keystone_id: row.id,
    keystone_name: row.slug,
    metrics_database_id: null,
    vlan_physical_network: '',
    ddos_endpoint_id: null,
    task_id: null,
    created_at: zuluTime(row.created_at),
    created_on: zuluTime(row.created_at),
  };
}
