import { spawn } from 'node:child_process';
import path from 'node:path';
import type pg from 'pg';
import { waitUntil } from '../../test/harness/wait.ts';
import { endChild } from './child.ts';

export interface Peer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts bare Fastify and pg on the same database, in a process of its own. */
export async function startPeer(connection: pg.PoolConfig): Promise<Peer> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'peer.mjs')], {
    env: { ...process.env, PEER_CONNECTION: JSON.stringify(connection) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const url = await waitUntil(() => /peer (http:\S+)/.exec(text)?.[1], { what: 'the peer to listen' });
  return {
    url,
    stop: () => endChild(child),
  };
}
