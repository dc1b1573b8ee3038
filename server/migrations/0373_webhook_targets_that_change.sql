-- A target may end by itself (410), and sign with two secrets for a while after one was rotated.
alter table webhook_targets
  add column ended_at timestamptz,
  add column end_reason text,
  add column previous_key_id text references master_keys(id),
  add column previous_sealed bytea,
  add column previous_until timestamptz;
alter table webhook_targets add constraint webhook_targets_previous_whole
  check (num_nulls(previous_key_id, previous_sealed, previous_until) in (0, 3));
