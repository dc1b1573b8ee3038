import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import { newFolder } from './leftovers.ts';

/** An address of this machine that is not only its own; undefined: it has none. */
export const ownAddress = (): string | undefined =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal, address }) => family === 'IPv4' && !internal && !address.startsWith('198.1'))
    ?.address;

/** A registry of images on this machine with one image: busybox, which sleeps.
 *  @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#pulling-manifests */
export class Registry {
  readonly #server: http.Server;
  readonly #blobs = new Map<string, { readonly type: string; readonly content: Buffer }>();
  readonly #manifest: string;
  readonly #address: string;
  /** Paths of manifests that were asked for. */
  readonly requested: string[] = [];

  private constructor(address: string) {
    this.#address = address;
    const layer = layerWithShell();
    const config = JSON.stringify({
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { Cmd: ['/bin/busybox', 'sleep', '2147483647'] },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    });
    const kind = 'application/vnd.oci.image';
    const manifest = {
      schemaVersion: 2,
      mediaType: `${kind}.manifest.v1+json`,
      config: this.#keep(`${kind}.config.v1+json`, Buffer.from(config)),
      layers: [this.#keep(`${kind}.layer.v1.tar`, layer)],
    };
    this.#manifest = this.#keep(manifest.mediaType, Buffer.from(JSON.stringify(manifest))).digest;
    this.#server = http.createServer((request, response) => this.#answer(request, response));
  }

  /** @param address where it listens */
  static async start(address: string): Promise<Registry> {
    const registry = new Registry(address);
    await once(registry.#server.listen(0, address), 'listening');
    return registry;
  }

  get origin(): string {
    return `http://${this.#address}:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #keep(type: string, content: Buffer) {
    const digest = digestOf(content);
    this.#blobs.set(digest, { type, content });
    return { mediaType: type, digest, size: content.length };
  }

  #answer({ method, url = '' }: http.IncomingMessage, response: http.ServerResponse): void {
    const [, isManifest, reference = ''] = /^\/v2\/.+\/(manifests\/|blobs\/)([^/?]+)/.exec(url) ?? [];
    if (isManifest === 'manifests/') this.requested.push(url);
    const digest = reference.startsWith('sha256:') ? reference : this.#manifest;
    const found = this.#blobs.get(digest);
    if (isManifest === undefined || found === undefined) {
      response.writeHead(url === '/v2/' ? 200 : 404).end();
      return;
    }
    response.writeHead(200, {
      'content-type': found.type,
      'content-length': found.content.length,
      'docker-content-digest': digest,
    });
    response.end(method === 'HEAD' ? undefined : found.content);
  }
}

const digestOf = (content: Buffer): string => `sha256:${createHash('sha256').update(content).digest('hex')}`;

function layerWithShell(): Buffer {
  const file = path.join(newFolder('server'), 'layer.tar');
  execFileSync('tar', ['--transform=s,^,bin/,', '-C', '/bin', '-hcf', file, 'busybox']);
  return readFileSync(file);
}
