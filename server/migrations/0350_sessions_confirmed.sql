-- What matters much needs the password within the last minutes: when it was last given.
alter table sessions add column confirmed_at timestamptz;

comment on column sessions.confirmed_at is
  'when the person has last given the password since they signed in; null: they have not';
