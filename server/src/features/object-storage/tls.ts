import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { authoritiesBefore } from '../../platform/certificates/authorities.ts';
import type { CertificateSource } from '../../platform/certificates/watch.ts';
import type { Tx } from '../../platform/database/db.ts';
import type { Cipher } from '../../platform/secrets/cipher.ts';
import type { TaskRun } from '../../platform/tasks/handler.ts';
import { CA_DAYS, issueTls } from '../../platform/x509/issue.ts';
import type { StorageRow } from './model.ts';
import type { DesiredStorage } from './port.ts';
import type { WithAddress } from './storage-tasks.ts';
import * as store from './tls-store.ts';

/** Storages at addresses that others can reach speak TLS: each has an authority of its own. */

const contextOf = (id: number) => `object_storages/${id}/tls`;

export const isSecured = ({ address }: Pick<StorageRow, 'address'>): boolean =>
  address?.startsWith('https:') ?? false;

const hostOf = ({ address }: WithAddress<StorageRow>) => new URL(address).hostname;

function isFor(certificate: string, host: string): boolean {
  const x509 = new X509Certificate(certificate);
  return (isIP(host) ? x509.checkIP(host) : x509.checkHost(host)) === host;
}

/** The storage with a certificate for its address, where it needs one: a new one when it was given another address. */
export async function secured(
  { db, task, now }: Pick<TaskRun, 'db' | 'task' | 'now'>,
  row: WithAddress<StorageRow>,
  cipher: Cipher,
): Promise<WithAddress<StorageRow>> {
  const { id, name, server_certificate: present } = row;
  if (!isSecured(row) || (present !== null && isFor(present, hostOf(row)))) return row;
  const { ca, certificate, privateKey } = await issueTls(name, hostOf(row), now);
  const { keyId, box } = cipher.seal(privateKey, contextOf(id));
  const tls = {
    ca_certificate: ca,
    server_certificate: certificate,
    tls_key_id: keyId,
    sealed_tls_key: box,
  };
  await store.setTls(db, id, task.id, tls);
  return { ...row, ...tls };
}

/** What its server proves itself with; null: nothing, its address is without TLS. */
export function tlsOf(cipher: Cipher, row: WithAddress<StorageRow>): DesiredStorage['tls'] {
  const { server_certificate: certificate } = row;
  if (!isSecured(row) || certificate === null) return null;
  return { certificate, privateKey: openKey(cipher, row) };
}

function openKey(cipher: Cipher, { id, tls_key_id: keyId, sealed_tls_key: box }: store.TlsKeyRow): string {
  if (keyId === null || box === null) throw new Error(`storage ${id} has no private key`);
  return cipher.open({ keyId, box }, contextOf(id));
}

/** Encrypts private keys that are under another key anew under the current one. @returns how many there were */
export async function resealTlsKeys(tx: Tx, cipher: Cipher): Promise<number> {
  const rows = await store.lockTlsNotUnder(tx, cipher.currentKeyId);
  for (const row of rows) {
    const { keyId, box } = cipher.seal(openKey(cipher, row), contextOf(row.id));
    await store.setTlsKey(tx, { id: row.id, tls_key_id: keyId, sealed_tls_key: box });
  }
  return rows.length;
}

/** The storages' own authorities that expire before a moment; none is younger than its storage. */
export const authoritiesOfStorages: CertificateSource = async (db, before) =>
  authoritiesBefore(await store.readOldAuthorities(db, before, CA_DAYS), before);
