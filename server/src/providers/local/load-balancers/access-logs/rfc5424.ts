/** Whose lines they are, as a collector is shown. */
export interface LogSource {
  readonly topic: string;
  readonly loadBalancerId: string;
  readonly loadBalancerName: string;
  /** The virtual address; HOSTNAME of the messages. */
  readonly address: string;
}

/** Facility local0, severity informational. */
const PRIORITY = 134;
const LONGEST_APP_NAME = 48;
/** No enterprise of our own is registered: this number is the one for examples (RFC 5612). */
const ELEMENT = 'virga@32473';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d) /;
const LISTENER = /^\S+ \[[^\]]*\] listener-([A-Za-z0-9_-]+)/;

/** A line of an access log as a syslog message (RFC 5424, 6): `<134>1 TIME ADDRESS TOPIC - - [virga@32473 …] LINE`.
 *  @param line without its line break; it begins with its time, or (of older versions) does not */
export function syslogMessage(line: string, source: LogSource): string {
  const time = TIME.exec(line)?.[0] ?? '';
  const text = line.slice(time.length);
  const listener = LISTENER.exec(text)?.[1];
  const fields = {
    topic: source.topic,
    load_balancer_id: source.loadBalancerId,
    load_balancer_name: source.loadBalancerName,
    ...(listener === undefined ? {} : { listener_id: listener }),
  };
  const data = Object.entries(fields).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  const header = `<${PRIORITY}>1 ${time.trim() || '-'} ${headerWord(source.address, 255)}`;
  const appName = headerWord(source.topic, LONGEST_APP_NAME);
  return `${header} ${appName} - - [${ELEMENT}${data.join('')}] ${text}`;
}

/** Visible ASCII, as the header wants it. */
function headerWord(text: string, longest: number): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, longest) || '-';
}

/** A value of structured data: line breaks would end the message where there is no octet counting. */
function escaped(value: string): string {
  return value.replaceAll(/["\\\]]/g, (character) => `\\${character}`).replaceAll(/[\r\n\0]/g, ' ');
}
