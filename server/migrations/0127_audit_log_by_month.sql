-- The audit log is a table for each month, so that old months are dropped whole.
alter table audit_log rename to audit_log_before;
alter table audit_log_before alter column id drop identity;
drop index audit_log_client;
create sequence audit_log_ids as bigint;

create table audit_log (
  id bigint not null default nextval('audit_log_ids'),
  at timestamptz not null,
  client_id integer not null,
  user_id integer not null,
  token_id integer not null,
  request_id text not null,
  action text not null,
  subject text,
  project_id integer,
  region_id integer
) partition by range (at);
create index audit_log_client on audit_log (client_id, id desc);
-- Entries of months that have no table yet.
create table audit_log_rest partition of audit_log default;

create function add_month_of_audit_log(day date) returns void language plpgsql as $$
declare
  month timestamp := date_trunc('month', day);
  name text := 'audit_log_' || to_char(month, 'YYYY_MM');
  since timestamptz := month at time zone 'UTC';
  until timestamptz := (month + interval '1 month') at time zone 'UTC';
begin
  if to_regclass(name) is not null then return; end if;
  lock table only audit_log in share update exclusive mode;
  if to_regclass(name) is not null then return; end if;
  lock table audit_log_rest in access exclusive mode;
  execute format('create table %I (like audit_log including defaults including indexes)', name);
  execute format('with early as (delete from audit_log_rest where at >= %L and at < %L returning *)
    insert into %I select * from early', since, until, name);
  execute format('alter table audit_log attach partition %I for values from (%L) to (%L)', name, since, until);
end $$;

-- Removes the tables of months that ended before a day.
create function drop_months_of_audit_log(before date) returns setof text language plpgsql as $$
declare
  name text;
begin
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'audit_log'::regclass and c.relname ~ '^audit_log_\d{4}_\d\d$'
       and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before
     order by 1
  loop
    execute format('drop table %I', name);
    return next name;
  end loop;
end $$;

select add_month_of_audit_log(month::date)
  from (select distinct date_trunc('month', at at time zone 'UTC') as month from audit_log_before) months;
insert into audit_log select * from audit_log_before order by id;
select setval('audit_log_ids', greatest(1, (select max(id) from audit_log_before)),
              (select count(*) > 0 from audit_log_before));
drop table audit_log_before;
