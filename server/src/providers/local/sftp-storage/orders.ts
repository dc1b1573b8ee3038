/** What the server of an SFTP storage is configured with, by files. */

/** Read once, while it may still be root. */
export interface Orders {
  readonly host: string;
  readonly port: number;
  /** The storage's folder: nothing else is ever shown or changed. */
  readonly data: string;
  /** Made on the first start. */
  readonly hostKey: string;
  /** Who may sign in; read anew when it changes. */
  readonly access: string;
  /** Gets the digest of what of that counts now. */
  readonly seen: string;
  /** Gets what is used, line by line. */
  readonly traffic: string;
  /** Whom it has to become; null: it is nobody special. */
  readonly account: { readonly uid: number; readonly gid: number } | null;
}

export interface Access {
  readonly user: string;
  /** `scrypt:COST:SALT:HASH`; null: no password. */
  readonly passwordHash: string | null;
  /** Lines in the form of OpenSSH. */
  readonly publicKeys: readonly string[];
  readonly expiresAt: string | null;
}
