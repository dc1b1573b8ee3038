-- Certificates and what goes with them. What is secret is encrypted before it comes here; the rest describes it.

create table secrets (
  id uuid primary key,
  project_id integer not null references projects (id),
  region_id integer not null,
  client_id integer not null,
  name text collate "C" not null,
  -- A certificate with its key and chain; certificates of authorities; what authorities have revoked.
  kind text not null check (kind in ('certificate', 'authorities', 'revocations')),
  algorithm text,
  bit_length integer,
  -- Of authorities their subjects, of revocations their issuers.
  names text[] not null default '{}',
  -- When it stops being good for anything new: what the client said, and what is written in it.
  expiration timestamptz,
  not_after timestamptz,
  status text not null check (status in ('PENDING_CREATE', 'ACTIVE', 'PENDING_DELETE')),
  task_id uuid,
  key_id text not null references master_keys (id),
  sealed bytea not null,
  created_at timestamptz not null
);
create index secrets_created_at on secrets (project_id, region_id, created_at desc, id desc);
create index secrets_key on secrets (key_id);
create constraint trigger secrets_count after insert or delete on secrets
  deferrable initially deferred for each row execute function count_resource('secrets');

alter table lb_listeners add constraint lb_listeners_secret foreign key (secret_id) references secrets (id);
alter table lb_pools add constraint lb_pools_secret foreign key (secret_id) references secrets (id);
alter table lb_pools add constraint lb_pools_ca_secret foreign key (ca_secret_id) references secrets (id);
alter table lb_pools add constraint lb_pools_crl_secret foreign key (crl_secret_id) references secrets (id);

-- Who uses a secret; few listeners and pools use any.
create index lb_listeners_secret on lb_listeners (secret_id) where secret_id is not null;
create index lb_listeners_sni_secrets on lb_listeners using gin (sni_secret_ids) where sni_secret_ids <> '{}';
create index lb_pools_secret on lb_pools (secret_id) where secret_id is not null;
create index lb_pools_ca_secret on lb_pools (ca_secret_id) where ca_secret_id is not null;
create index lb_pools_crl_secret on lb_pools (crl_secret_id) where crl_secret_id is not null;
