-- What operators record of the DDoS protection of a load balancer; clients only read it.
create table lb_ddos_profiles (
  load_balancer_id uuid primary key references load_balancers (id) on delete cascade,
  id integer not null generated always as identity unique,
  -- Everything of the profile but its id.
  profile jsonb not null,
  updated_at timestamptz not null
);
