import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import { messageOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';

/** Files in PEM: the certificate with its chain, and its key. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface KeyPair {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Watched by asking, not by notifications: those miss files that are swapped through links, as clusters do. */
const LOOK_EVERY_MS = 2000;

/** @throws Error when the files cannot be read, or do not belong together */
export function readKeyPair({ certificate, key }: TlsFiles): KeyPair {
  const pair = { cert: readFileSync(certificate), key: readFileSync(key) };
  createSecureContext(pair);
  return pair;
}

/** Uses a certificate that has changed for the connections to come; those that are open go on.
 *  @returns ends the watch */
export function reloadCertificates(server: Server, files: TlsFiles, log: Logger): () => void {
  let current = readKeyPair(files);
  const reload = () => {
    try {
      const next = readKeyPair(files);
      if (next.cert.equals(current.cert) && next.key.equals(current.key)) return;
      server.setSecureContext(next);
      current = next;
      const { subject, validTo } = new X509Certificate(next.cert);
      log.info({ subject, validTo }, 'the certificate was changed');
    } catch (error) {
      log.error(`the new certificate cannot be used, the old one stays: ${messageOf(error)}`);
    }
  };
  const watched = [files.certificate, files.key];
  for (const file of watched) watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, reload);
  return () => {
    for (const file of watched) unwatchFile(file, reload);
  };
}
