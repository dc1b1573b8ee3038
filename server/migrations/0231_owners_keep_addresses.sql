-- Statements that write what has an address write the address, too, and its port. The triggers stay for nodes of the
-- last release, whose statements do not: they add what is not there yet.
create or replace function keep_floating_address() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from region_addresses
     where region_id = old.region_id and address = old.floating_ip_address and owner_id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.floating_ip_address is not null and not exists (
    select from region_addresses a where a.region_id = new.region_id
       and a.space = '00000000-0000-0000-0000-000000000000' and a.address = new.floating_ip_address
       and a.owner_id = new.id) then
    insert into region_addresses (region_id, address, owner_id)
    values (new.region_id, new.floating_ip_address, new.id);
  end if;
  return null;
end $$;

create or replace function keep_node_address() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into region_addresses (region_id, space, address, owner_id, subnet_id)
    select c.region_id, c.network_id, new.private_ip::inet, new.id, new.subnet_id
      from k8s_clusters c where c.id = new.cluster_id and not exists (
        select from region_addresses a where a.owner_id = new.id);
  else
    delete from region_addresses
     where subnet_id = old.subnet_id and address = old.private_ip::inet and owner_id = old.id;
  end if;
  return null;
end $$;

-- The same for records that webhooks are notified of.
create or replace function tell_user_action() returns trigger language plpgsql as $$
begin
  insert into webhook_deliveries (id, event_id, client_id, target_id, url, type, data, audit_id, next_attempt_at, created_at)
  select gen_random_uuid(), gen_random_uuid(), t.client_id, t.id, t.url, 'user_action', '{}', new.id, new.at, new.at
    from webhook_targets t where t.client_id = new.client_id and t.kind = 'user_actions'
     and not exists (select from webhook_deliveries d where d.audit_id = new.id and d.target_id = t.id);
  return null;
end $$;
