-- What load balancers of live regions have used, minute by minute: counters that only grow, so that thinning
-- older samples out loses no precision of the averages between those that stay.
create table lb_samples (
  load_balancer_id uuid not null references load_balancers (id) on delete cascade,
  at timestamptz not null,
  bytes_in bigint not null,
  bytes_out bigint not null,
  -- Null where the data plane does not tell: milliseconds of processor time, and what they are divided by.
  cpu_ms bigint,
  vcpus smallint not null,
  -- Percent of the flavor's memory.
  memory_util real,
  -- Kept for longer: the first of its quarter of an hour.
  coarse boolean not null,
  primary key (load_balancer_id, at)
);
create index lb_samples_age on lb_samples (coarse, at);

-- What listeners that are gone had counted: what a load balancer has carried never falls.
create table lb_ended_stats (
  load_balancer_id uuid primary key references load_balancers (id) on delete cascade,
  bytes_in bigint not null,
  bytes_out bigint not null,
  request_errors bigint not null,
  total_connections bigint not null
);

create function keep_ended_stats() returns trigger language plpgsql as $$
begin
  -- Nothing is kept when the whole load balancer goes: its row is no longer there.
  insert into lb_ended_stats as s (load_balancer_id, bytes_in, bytes_out, request_errors, total_connections)
  select id, old.bytes_in, old.bytes_out, old.request_errors, old.total_connections
    from load_balancers where id = old.load_balancer_id
  on conflict (load_balancer_id) do update set bytes_in = s.bytes_in + excluded.bytes_in,
    bytes_out = s.bytes_out + excluded.bytes_out, request_errors = s.request_errors + excluded.request_errors,
    total_connections = s.total_connections + excluded.total_connections;
  return null;
end $$;
create trigger lb_listener_stats_ended after delete on lb_listener_stats
  for each row execute function keep_ended_stats();
