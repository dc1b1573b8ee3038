/** What identifies a thing of the API, and what it is called: each kind has some of these. */
export interface Named {
  readonly id?: string | number;
  readonly uuid?: string;
  readonly port_id?: string | null;
  readonly servergroup_id?: string;
  readonly access_key?: string;
  readonly name?: string | null;
  readonly cluster_name?: string;
  readonly floating_ip_address?: string | null;
  readonly fixed_ip_address?: string | null;
}

/** Some have no id but their name. */
export const idOf = (thing: Named): string =>
  String(
    thing.id ?? thing.uuid ?? thing.servergroup_id ?? thing.port_id ?? thing.access_key ?? nameOf(thing),
  );

/** Some are called by their address or their key. */
export const nameOf = (thing: Named): string =>
  thing.floating_ip_address ??
  thing.fixed_ip_address ??
  thing.name ??
  thing.cluster_name ??
  thing.access_key ??
  '';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Whether a text is an id of the API, and not a number or a name. */
export const isUuid = (text: string): boolean => UUID.test(text);
