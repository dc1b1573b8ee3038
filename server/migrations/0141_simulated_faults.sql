-- Faults of simulated regions that count attempts, from the file of regions or from an operator's call.
create table simulated_faults (
  id uuid primary key,
  region_id int not null references regions,
  source text not null check (source in ('file', 'call')),
  kind text not null,
  rule jsonb not null,
  created_at timestamptz not null
);
create index simulated_faults_region on simulated_faults (region_id, kind);

-- Which operations a fault has judged, so that a repetition of one is judged as before.
create table simulated_fault_attempts (
  fault_id uuid not null references simulated_faults on delete cascade,
  operation text not null,
  name text not null,
  struck boolean not null,
  primary key (fault_id, operation)
);
create index simulated_fault_attempts_name on simulated_fault_attempts (fault_id, name);
