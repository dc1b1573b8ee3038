-- Limits that hold over all nodes, and one spelling of each e-mail address.

-- How much of a limit is used up in its running window. Keys are digests: what people type into the field for
-- their name may be anything.
create table rate_limits (
  key bytea primary key,
  points integer not null,
  expires_at timestamptz not null
);
create index rate_limits_expires on rate_limits (expires_at);

-- Takes one point of each limit, in their order, all or none. Answers when the first one that has none left will
-- have some again; null when all were taken.
create function take_points(keys bytea[], allowed integer[], seconds integer[], at timestamptz)
returns timestamptz language plpgsql as $$
declare
  free timestamptz;
begin
  for i in 1 .. cardinality(keys) loop
    insert into rate_limits as r (key, points, expires_at)
    values (keys[i], 1, at + make_interval(secs => seconds[i]))
    on conflict (key) do update set
      points = case when r.expires_at <= at then 1 else r.points + 1 end,
      expires_at = case when r.expires_at <= at then excluded.expires_at else r.expires_at end
    where r.expires_at <= at or r.points < allowed[i];
    if not found then
      select expires_at into free from rate_limits where key = keys[i];
      update rate_limits set points = points - 1 where key = any (keys[1:i - 1]) and points > 0;
      return coalesce(free, at);
    end if;
  end loop;
  return null;
end $$;

-- From where somebody has signed in before: attempts from there do not suffer from what others try elsewhere.
create table known_sources (
  user_id integer not null references users (id),
  source text not null,
  last_used_at timestamptz not null,
  primary key (user_id, source)
);
create index known_sources_last_used on known_sources (last_used_at);

-- `lower` of the database's own locale has spellings of its own (İ, ı). Addresses are ASCII: so is this.
drop index users_email;
create unique index users_email on users (lower(email collate "C")) where deleted_at is null;
