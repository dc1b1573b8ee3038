-- Reserved addresses are found by what their port has: free ones, and in the order of their status. Ports that are not
-- reserved are not in this index.
create index ports_reserved on ports (project_id, region_id, (device_id is null), id) where reserved;
create index reserved_fixed_ips_vip on reserved_fixed_ips (project_id, region_id, ip_address, port_id) where is_vip;
create index reserved_fixed_ips_external on reserved_fixed_ips (project_id, region_id, ip_address, port_id)
  where is_external;
create index reserved_fixed_ips_additional_address on reserved_fixed_ips (project_id, region_id, additional_address)
  where additional_address is not null;

-- Key pairs of a whole client, newest first.
create index ssh_keys_client_created on ssh_keys (client_id, created_at desc, id desc);
create index ssh_keys_client_user on ssh_keys (client_id, user_id, created_at desc, id desc);
