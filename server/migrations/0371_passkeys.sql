-- Passkeys (WebAuthn): what a person signs in with in place of password and code.
alter table second_factors
  add column credential_id bytea,
  add column public_key bytea,
  add column sign_count bigint,
  add column rp_id text,
  add constraint second_factors_passkey
    check (kind <> 'passkey' or num_nulls(credential_id, public_key, sign_count, rp_id) = 0);
create unique index second_factors_credential on second_factors (credential_id);

comment on column second_factors.credential_id is 'passkey: what the authenticator calls it';
comment on column second_factors.public_key is 'passkey: COSE';
comment on column second_factors.sign_count is 'passkey: how often it was used, where the authenticator counts';
comment on column second_factors.rp_id is 'passkey: the host name that it was made for, and works on';

-- A challenge counts once.
create table used_passkey_challenges (
  id uuid primary key,
  expires_at timestamptz not null
);
create index used_passkey_challenges_expiry on used_passkey_challenges (expires_at);
