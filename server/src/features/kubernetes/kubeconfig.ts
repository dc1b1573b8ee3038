/** What a kubeconfig is made of; certificates and key are PEM. */
export interface KubeconfigParts {
  readonly clusterName: string;
  /** Nothing answers at the address. */
  readonly simulated: boolean;
  /** `https://address:port`. */
  readonly server: string;
  readonly caCertificate: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
}

export const base64 = (text: string) => Buffer.from(text).toString('base64');

/** The YAML file that kubectl reads. Cluster names are lower-case letters, digits and `-`, so that nothing
 *  needs quotes. */
export function kubeconfig(parts: KubeconfigParts): string {
  const { clusterName: name } = parts;
  const note = parts.simulated ? '# This cluster is simulated: nothing answers at its address.\n' : '';
  return `${note}apiVersion: v1
kind: Config
clusters:
- name: ${name}
  cluster:
    certificate-authority-data: ${base64(parts.caCertificate)}
    server: ${parts.server}
users:
- name: ${name}-admin
  user:
    client-certificate-data: ${base64(parts.clientCertificate)}
    client-key-data: ${base64(parts.clientKey)}
contexts:
- name: ${name}-admin@${name}
  context:
    cluster: ${name}
    user: ${name}-admin
current-context: ${name}-admin@${name}
preferences: {}
`;
}
