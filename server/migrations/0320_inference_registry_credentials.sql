-- What inference signs in to registries of containers with.
create table inference_registry_credentials (
  project_id integer not null references projects (id),
  name text collate "C" not null,
  registry_url text not null,
  username text not null,
  key_id text not null references master_keys (id),
  sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, name)
);
create index inference_registry_credentials_key on inference_registry_credentials (key_id);

comment on column inference_registry_credentials.sealed is 'the password, encrypted under the key';
