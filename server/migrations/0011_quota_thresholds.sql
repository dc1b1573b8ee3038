-- What clients are told of their quotas, and what they ask for.

-- Mail is written here in the transaction that causes it, and sent from here.
create table mail_outbox (
  id bigint generated always as identity primary key,
  client_id integer references clients (id),
  kind text not null,
  recipient text not null,
  subject text not null,
  body text not null,
  -- What the sender's feature wants to know when it is sent.
  details jsonb not null default '{}',
  -- The same in every attempt, so that a receiver who gets it twice can tell.
  message_id text not null,
  created_at timestamptz not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  sent_at timestamptz,
  -- Set when trying again is pointless.
  failed_at timestamptz,
  error text
);
create index mail_outbox_waiting on mail_outbox (next_attempt_at) where sent_at is null and failed_at is null;

create table quota_thresholds (
  client_id integer primary key references clients (id),
  threshold integer not null check (threshold between 60 and 100),
  last_message jsonb,
  last_sending timestamptz
);

-- Quotas whose usage has reached the threshold and whose client has not been told yet.
create table quota_reachings (
  id bigint generated always as identity primary key,
  client_id integer not null,
  region_id integer not null,
  name text not null,
  usage bigint not null,
  quota_limit bigint not null,
  threshold integer not null
);
create index quota_reachings_client on quota_reachings (client_id, id);

create function quota_reached(usage bigint, quota_limit bigint, threshold integer) returns boolean
language sql immutable as $$ select usage > 0 and usage::numeric * 100 >= quota_limit::numeric * threshold $$;

-- Notes the moment at which a counter reaches the threshold. Whoever changes the threshold holds the lock
-- alone, so that each counter is judged by the old one or the new one, and by exactly one of them.
create function note_quota_reaching() returns trigger language plpgsql as $$
declare
  allowed integer;
begin
  perform pg_advisory_xact_lock_shared(72117, new.client_id);
  select threshold into allowed from quota_thresholds where client_id = new.client_id;
  allowed := coalesce(allowed, 80);
  if quota_reached(new.usage, new.quota_limit, allowed)
     and not (tg_op = 'UPDATE' and quota_reached(old.usage, old.quota_limit, allowed)) then
    insert into quota_reachings (client_id, region_id, name, usage, quota_limit, threshold)
    values (new.client_id, new.region_id, new.name, new.usage, new.quota_limit, allowed);
  end if;
  return null;
end $$;

-- 60 is the lowest threshold there is: below it nothing can be reached, and nothing is paid.
create trigger quota_counters_reaching after insert or update on quota_counters
  for each row when (new.usage > 0 and new.usage::numeric * 100 >= new.quota_limit::numeric * 60)
  execute function note_quota_reaching();

create table limits_requests (
  id bigint generated always as identity primary key,
  client_id integer not null references clients (id),
  user_id integer not null,
  description text not null,
  requested_limits jsonb not null,
  status text not null default 'in progress' check (status in ('in progress', 'done', 'rejected')),
  created_at timestamptz not null,
  updated_at timestamptz
);
create index limits_requests_client on limits_requests (client_id, id desc);
create index limits_requests_status on limits_requests (status, id);
