/** Where a region's access logs go: a syslog server (RFC 5424) over TCP (RFC 6587, octet counting) or UDP. */
export interface LogCollector {
  readonly transport: 'tcp' | 'udp';
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 514;
const SPELLING =
  /^syslog\+(?<transport>tcp|udp):\/\/(?:\[(?<ipv6>[0-9A-Fa-f:.]+)\]|(?<host>[A-Za-z0-9._-]+))(?::(?<port>\d{1,5}))?\/?$/;

/** `syslog+tcp://logs.example:6514` or `syslog+udp://[::1]`; without a port it is 514. Null: it is neither. */
export function parseLogCollector(text: string): LogCollector | null {
  const { transport, ipv6, host, port } = SPELLING.exec(text)?.groups ?? {};
  const name = ipv6 ?? host;
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  if (transport === undefined || name === undefined || number < 1 || number > 65_535) return null;
  return { transport: transport === 'tcp' ? 'tcp' : 'udp', host: name, port: number };
}

/** The one spelling of a collector, to distinguish two. */
export function collectorName({ transport, host, port }: LogCollector): string {
  return `syslog+${transport}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
