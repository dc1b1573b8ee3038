import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { type Engines, KUBERNETES_ENGINES } from '../../server/src/engines/index.ts';
import { Kubectl } from './kubectl.ts';
import { addSshKey } from './kubernetes.ts';
import { processesIn } from './leftovers.ts';
import { startLocalServer } from './regions.ts';
import { lookFor, type Reply, type TestServer, type TestServerOptions } from './server.ts';

const CLUSTERS = '/cloud/v2/k8s/clusters/1/1';

/** Versions of Kubernetes that are on this machine.
 *  @property versions oldest first, as `v1.36.3`
 *  @property fault how to get one, when there is none */
export interface Installed {
  readonly engines: Engines;
  readonly versions: readonly string[];
  readonly fault: string | undefined;
}

/** @param more engines that tests need beside */
export async function installedKubernetes(more: readonly string[] = []): Promise<Installed> {
  const engines = await lookFor([...KUBERNETES_ENGINES, 'postgresql-18', ...more]);
  const versions = KUBERNETES_ENGINES.filter((name) => engines.isReady(name)).map(versionOf);
  const missing = [...(versions.length === 0 ? KUBERNETES_ENGINES.slice(-1) : []), ...more].find(
    (name) => !engines.isReady(name),
  );
  return { engines, versions, fault: missing === undefined ? undefined : engines.faultOf(missing) };
}

const versionOf = (engine: string) => `v${engine.replace('kubernetes-', '')}`;

/** A local region with clusters, and kubectl for them. */
export class KubernetesLab {
  readonly server: TestServer;
  readonly #installed: Installed;

  private constructor(server: TestServer, installed: Installed) {
    this.server = server;
    this.#installed = installed;
  }

  static async start(installed: Installed, options: TestServerOptions = {}): Promise<KubernetesLab> {
    const server = await startLocalServer({ ...options, engines: installed.engines });
    await addSshKey(server);
    return new KubernetesLab(server, installed);
  }

  /** Where the clusters of the region are. */
  get home(): string {
    return path.join(this.server.dataDir, 'regions', '1', 'kubernetes');
  }

  pids = (): number[] => processesIn(this.home);

  call(method: string, rest: string, body?: unknown): Promise<Reply> {
    return this.server.call(method, `${CLUSTERS}${rest}`, body === undefined ? {} : { body });
  }

  async finished(reply: Reply): Promise<void> {
    expect([reply.status, reply.body.message]).toEqual([200, undefined]);
    const task = await this.server.ended(reply);
    expect([task.state, task.error]).toEqual(['FINISHED', null]);
  }

  /** Creates a cluster with two nodes. @returns kubectl for it */
  async create(name: string, version: string, pool: object = {}): Promise<Kubectl> {
    const usual = { name: 'workers', flavor_id: 'g1-standard-2-4', min_node_count: 2 };
    const pools = [{ ...usual, auto_healing_enabled: true, ...pool }];
    await this.finished(await this.call('POST', '', { name, version, keypair: 'operator key', pools }));
    const { body } = await this.call('GET', `/${name}/config`);
    const kubeconfig = path.join(this.server.dataDir, `${name}.yaml`);
    writeFileSync(kubeconfig, body.config, { mode: 0o600 });
    const { engines, versions } = this.#installed;
    const newest = `kubernetes-${versions.at(-1)?.slice(1)}`;
    return new Kubectl(engines.programOf(newest) ?? '', kubeconfig);
  }
}
