-- Secrets are encrypted before they come here, under a master key that never does.

-- The keys that values are encrypted under, by id. A key cannot go while a value needs it, and nothing can be
-- encrypted under a key that has gone.
create table master_keys (
  id text primary key,
  added_at timestamptz not null
);

create table inference_secrets (
  project_id integer not null references projects (id),
  name text not null,
  -- They belong to no region; the counters want one.
  region_id integer not null default 0 check (region_id = 0),
  type text not null,
  key_id text not null references master_keys (id),
  sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (project_id, name)
);
create index inference_secrets_key on inference_secrets (key_id);
create constraint trigger inference_secrets_count after insert or delete on inference_secrets
  deferrable initially deferred for each row execute function count_resource('inference_secrets');
