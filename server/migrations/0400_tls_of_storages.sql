-- What a storage at an address that others can reach proves itself with; all null: it has none, as on loopback.
alter table object_storages
  add ca_certificate text,
  add server_certificate text,
  add tls_key_id text,
  add sealed_tls_key bytea;

comment on column object_storages.ca_certificate is 'PEM: by it clients know the server';
comment on column object_storages.sealed_tls_key is 'the private key, encrypted under tls_key_id';
