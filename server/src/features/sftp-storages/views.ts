import { zuluTime } from '../../kernel/codecs.ts';
import { fullName, type SftpRow, type SftpSettings, type SshKeyRow } from './model.ts';

/** @param settings those that a task is still bringing about, where it goes on beyond the call that has asked */
export const viewSftpStorage = (row: SftpRow, settings: SftpSettings = row.settings) => ({
  id: row.id,
  name: row.name,
  full_name: fullName(row),
  location_name: row.location,
  address: row.address ?? '',
  provisioning_status: row.status,
  created_at: zuluTime(row.created_at),
  expires: settings.expires,
  has_password: settings.password_hash !== null,
  has_custom_config_file: settings.has_custom_config_file,
  is_http_disabled: settings.is_http_disabled,
  server_alias: settings.server_alias,
  ssh_key_ids: [...settings.ssh_key_ids],
});

export const viewSshKey = ({ id, name, public_key, created_at }: SshKeyRow) => ({
  id,
  name,
  public_key,
  created_at: zuluTime(created_at),
});
