-- What people prove who they are with beside their password.
create table second_factors (
  id uuid primary key,
  user_id integer not null references users (id),
  kind text not null check (kind in ('totp', 'passkey')),
  name text not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  last_used_at timestamptz,
  key_id text references master_keys (id),
  sealed bytea,
  last_step bigint
);
create index second_factors_user on second_factors (user_id, created_at);
create index second_factors_key on second_factors (key_id);

comment on column second_factors.confirmed_at is 'null: it was not used yet, and does not count';
comment on column second_factors.sealed is 'totp: the shared secret, encrypted under the key';
comment on column second_factors.last_step is 'totp: which code was used last, by its number of half minutes since 1970';

-- What stands for a second factor that is lost, once each.
create table recovery_codes (
  user_id integer not null references users (id),
  hash bytea not null,
  primary key (user_id, hash)
);

comment on column recovery_codes.hash is 'SHA-256';
