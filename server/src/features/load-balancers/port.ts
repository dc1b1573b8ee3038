import type { DesiredNow } from '../../kernel/desired.ts';
import type { Operation, Progress } from '../../kernel/operation.ts';

/** What a region's provider must be able to do for load balancers.
 *
 *  Declarative: `apply` converges to the desired state, `remove` forgets, `observe` reports what is.
 *  Every call may be repeated at any time, also after a crash half-way through. */
export interface LoadBalancerProvider {
  /** Why this provider cannot serve load balancers here and now (a missing program), or null. */
  unavailable(): Promise<string | null>;
  /** True when nothing that it serves ever changes by itself: then it is asked after a task only, and
   *  neither observed nor reconciled in between. */
  readonly passive?: boolean;
  /** Whether this node is the one that observes and reconciles the region at present. Absent: any that works on it. */
  mayLook?(): Promise<boolean>;
  /** Why no load balancer can have another flavor, for the user to read. Absent: each can. */
  readonly resizeFault?: string;
  /** What of it this provider cannot serve: asked before it is accepted, with nothing of its secrets. Absent: it
   *  can serve everything. */
  unservable?(desired: DesiredLoadBalancer): readonly UnservablePart[];
  /** Makes the data plane serve exactly this. Resolves once the listeners accept connections.
   *  @throws TaskFailed with a reason for the user (address in use, low port without permission). */
  apply(desired: DesiredLoadBalancer, operation: Operation): Promise<Progress>;
  /** Why a regular expression cannot be used in an L7 rule, or null: it can. It changes nothing and takes some
   *  10 ms, so a request may wait for it. Absent: any expression can. */
  patternFault?(pattern: string): Promise<string | null>;
  /** Why this provider never connects to this address and port, for the user to read, or null: it may. Absent: it
   *  may connect to any. */
  memberFault?(address: string, port: number): string | null;
  /** Stops serving it and frees everything it used. Unknown ids are already removed: ready.
   *  Once ready, its addresses refuse connections. */
  remove(id: string, operation: Operation): Promise<Progress>;
  /** What the data plane says of these load balancers now; an id that is not running is absent. */
  observe(ids: readonly string[]): Promise<ReadonlyMap<string, ObservedLoadBalancer>>;
  /** What the programs behind these load balancers use; an id that is not running is absent. Absent as a whole:
   *  the provider does not know. */
  usage?(ids: readonly string[]): Promise<ReadonlyMap<string, Usage>>;
  /** The last lines of its access log that match; null: there is no log of it here. Absent: nothing here
   *  writes logs. */
  readLog?(id: string, filter: AccessLogFilter): Promise<AccessLogSeen | null>;
  /** Called at start-up and periodically: restarts what died, repairs drift, removes what nobody wants. What is served in
   *  the version that is listed needs no look; all else is brought to what is desired when its turn has come.
   *  @param versions of all load balancers of the region, which may have changed since */
  reconcile(
    versions: readonly LoadBalancerVersion[],
    desired: DesiredNow<DesiredLoadBalancer>,
  ): Promise<void>;
}

export interface UnservablePart {
  readonly kind: 'loadBalancer' | 'listener' | 'pool' | 'member';
  readonly id: string;
  /** As the API calls it. */
  readonly field: string;
  /** What follows the field's name in a sentence. */
  readonly reason: string;
}

export interface LoadBalancerVersion {
  readonly id: string;
  readonly version: number;
}

/** Which lines of an access log are asked for. */
export interface AccessLogFilter {
  readonly limit: number;
  /** `404`, `5xx`; null: any. */
  readonly statuses: string | null;
  /** Any text that they have; null: any. */
  readonly text: string | null;
}

export interface AccessLogSeen {
  /** The oldest first. */
  readonly lines: readonly AccessLogLine[];
  /** Whether everything that there is was looked through. */
  readonly isAll: boolean;
}

/** What a line says; null: it does not. */
export interface AccessLogLine {
  /** ISO 8601, in UTC. */
  readonly at: string | null;
  readonly client: string | null;
  readonly listener_id: string | null;
  readonly pool_id: string | null;
  readonly member_id: string | null;
  readonly status: number | null;
  readonly bytes: number | null;
  readonly milliseconds: number | null;
  readonly request: string | null;
  /** As it was written. */
  readonly text: string;
}

export interface DesiredLoadBalancer {
  readonly id: string;
  /** Increases with every accepted change. */
  readonly version: number;
  readonly adminStateUp: boolean;
  readonly vipAddress: string;
  /** The subnet of its virtual address; absent or null: the region's own. */
  readonly vipSubnetId?: string | null;
  /** The subnet of the second virtual address, the first of the additional addresses; absent or null: it has one. */
  readonly additionalSubnetId?: string | null;
  /** Additional addresses (floating IPs, additional VIPs) that serve the same listeners. */
  readonly extraAddresses: readonly string[];
  readonly flavor: { readonly name: string; readonly vcpus: number; readonly ramMiB: number };
  readonly listeners: readonly DesiredListener[];
  readonly pools: readonly DesiredPool[];
  readonly accessLog: DesiredAccessLog | null;
}

export type ListenerProtocol = 'HTTP' | 'HTTPS' | 'TERMINATED_HTTPS' | 'TCP' | 'UDP' | 'PROMETHEUS';
export type PoolProtocol = 'HTTP' | 'HTTPS' | 'TCP' | 'UDP' | 'PROXY' | 'PROXYV2';
export type LbAlgorithm = 'ROUND_ROBIN' | 'LEAST_CONNECTIONS' | 'SOURCE_IP';
export type HealthMonitorType = 'HTTP' | 'HTTPS' | 'TCP' | 'TLS-HELLO' | 'PING' | 'UDP-CONNECT' | 'K8S';

export interface DesiredListener {
  readonly id: string;
  readonly adminStateUp: boolean;
  readonly protocol: ListenerProtocol;
  readonly port: number;
  readonly defaultPoolId: string | null;
  /** CIDRs that may connect; null or none: everybody. */
  readonly allowedCidrs: readonly string[] | null;
  /** -1: no limit. */
  readonly connectionLimit: number;
  readonly timeoutsMs: Timeouts;
  readonly insertXForwarded: boolean;
  /** Path rules of its L7 policies compare the decoded path without doubled slashes and dot segments. */
  readonly normalizePath: boolean;
  readonly basicAuth: readonly { readonly username: string; readonly encryptedPassword: string }[];
  /** For TERMINATED_HTTPS, and for PROMETHEUS that shall end TLS: the default certificate first, then those
   *  chosen by SNI. */
  readonly certificates: readonly DesiredCertificate[];
  /** PEM; what certificates of clients are measured against, which only rules about them ask for. Null: nothing,
   *  so that none is trusted. */
  readonly clientAuthorities: string | null;
  /** In the order in which they are tried. */
  readonly l7Policies: readonly DesiredL7Policy[];
}

/** What members of a pool speak. */
export type MemberHttpVersion = '1.1' | '2';

/** Milliseconds; null: the provider's default (client and member data 50 s, connect 5 s). */
export interface Timeouts {
  readonly clientData: number | null;
  readonly memberConnect: number | null;
  readonly memberData: number | null;
}

/** PEM texts; the private key never leaves memory but for files readable by the data plane alone. */
export interface DesiredCertificate {
  readonly id: string;
  readonly certificate: string;
  readonly chain: string | null;
  readonly privateKey: string;
}

export interface DesiredL7Policy {
  readonly id: string;
  readonly action: 'REDIRECT_TO_URL' | 'REDIRECT_PREFIX' | 'REDIRECT_TO_POOL' | 'REJECT';
  readonly redirectUrl: string | null;
  readonly redirectPrefix: string | null;
  readonly redirectPoolId: string | null;
  readonly redirectHttpCode: number | null;
  /** All of them must match; a policy without rules never matches. */
  readonly rules: readonly DesiredL7Rule[];
}

export interface DesiredL7Rule {
  readonly id: string;
  readonly type:
    | 'COOKIE'
    | 'FILE_TYPE'
    | 'HEADER'
    | 'HOST_NAME'
    | 'PATH'
    | 'SSL_CONN_HAS_CERT'
    | 'SSL_DN_FIELD'
    | 'SSL_VERIFY_RESULT';
  readonly compareType: 'CONTAINS' | 'ENDS_WITH' | 'EQUAL_TO' | 'REGEX' | 'STARTS_WITH';
  readonly key: string | null;
  readonly value: string;
  readonly invert: boolean;
}

export interface DesiredPool {
  readonly id: string;
  readonly adminStateUp: boolean;
  readonly protocol: PoolProtocol;
  readonly algorithm: LbAlgorithm;
  readonly timeoutsMs: Timeouts;
  /** Milliseconds for which a WebSocket may be silent; null: the provider's default, an hour. */
  readonly tunnelMs: number | null;
  readonly memberHttpVersion: MemberHttpVersion;
  readonly sessionPersistence: DesiredSessionPersistence | null;
  readonly members: readonly DesiredMember[];
  readonly healthMonitor: DesiredHealthMonitor | null;
  /** TLS towards members; null: plain. */
  readonly tls: DesiredMemberTls | null;
}

export interface DesiredMemberTls {
  /** CA bundle (PEM) that members must chain to; null: members are not verified. */
  readonly caBundle: string | null;
  readonly crl: string | null;
  /** Client certificate shown to members; null: none. */
  readonly clientCertificate: DesiredCertificate | null;
}

export interface DesiredSessionPersistence {
  readonly type: 'APP_COOKIE' | 'HTTP_COOKIE' | 'SOURCE_IP';
  readonly cookieName: string | null;
  /** Seconds; for SOURCE_IP. */
  readonly persistenceTimeout: number | null;
  /** Netmask (255.255.255.0) or prefix length (24); for SOURCE_IP. */
  readonly persistenceGranularity: string | null;
}

export interface DesiredMember {
  readonly id: string;
  /** The subnet that it was said to be in; absent or null: none was named. */
  readonly subnetId?: string | null;
  readonly address: string;
  readonly port: number;
  readonly adminStateUp: boolean;
  readonly backup: boolean;
  /** 0 drains; 1 to 256. */
  readonly weight: number;
  readonly monitorAddress: string | null;
  readonly monitorPort: number | null;
}

export interface DesiredHealthMonitor {
  readonly id: string;
  readonly adminStateUp: boolean;
  readonly type: HealthMonitorType;
  /** Seconds between checks. */
  readonly delay: number;
  /** Seconds a check may take. */
  readonly timeout: number;
  /** Successes before a member is ONLINE again. */
  readonly maxRetries: number;
  /** Failures before a member is ERROR. */
  readonly maxRetriesDown: number;
  readonly httpMethod: string | null;
  readonly httpVersion: '1.0' | '1.1' | null;
  readonly urlPath: string | null;
  readonly domainName: string | null;
  /** `200`, `200,202` or `200-204`. */
  readonly expectedCodes: string | null;
}

export interface DesiredAccessLog {
  readonly topic: string;
  /** What its user calls the load balancer. */
  readonly loadBalancerName: string;
  /** The region whose log collector gets the lines, if it has one. */
  readonly destinationRegionId: number;
  /** Days that its lines are kept; null: as long as the provider has room. */
  readonly retentionDays: number | null;
}

export type MemberHealth = 'ONLINE' | 'ERROR' | 'DRAINING' | 'NO_MONITOR' | 'OFFLINE';

/** What a health monitor found out about a member. */
export interface LastCheck {
  /** The newest check's own words. */
  readonly reason: string;
  /** ISO 8601: since when the member is up, or down. Null: nothing is checked here. */
  readonly since: string | null;
}

export interface ObservedLoadBalancer {
  /** The version that is being served, as far as the provider knows. */
  readonly version: number;
  readonly members: ReadonlyMap<string, MemberHealth>;
  /** By member id; a member that was not checked yet is absent. */
  readonly lastChecks: ReadonlyMap<string, LastCheck>;
  /** Where no member is ever checked: what is said of each that has a health monitor. */
  readonly insteadOfChecks?: string;
  /** Per listener id; they only ever grow while the load balancer lives, over reloads and restarts. */
  readonly listenerStats: ReadonlyMap<string, ListenerStats>;
}

export interface ListenerStats {
  readonly activeConnections: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly requestErrors: number;
  readonly totalConnections: number;
}

export interface Usage {
  /** Processor time in milliseconds; it only grows, but may begin anew when the server does. */
  readonly cpuMs: number;
  /** Memory that is in use now. */
  readonly memoryBytes: number;
  /** Absent: the provider does not count responses. */
  readonly responses?: CountedResponses;
}

/** Responses of HTTP listeners by the class of their status code. They only grow, but may begin anew. */
export interface CountedResponses extends Readonly<Record<'2xx' | '3xx' | '4xx' | '5xx' | 'other', number>> {
  /** How many of members, whose time is known. */
  readonly timed: number;
  /** The sum of their response times. */
  readonly milliseconds: number;
}
