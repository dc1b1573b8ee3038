-- Orders of lists that no index had.

create index reserved_fixed_ips_address_desc on reserved_fixed_ips
  (project_id, region_id, ip_address desc nulls last, port_id desc);
create index subnets_total_ips on subnets (project_id, region_id, total_ips, id);
create index images_name on images (project_id, region_id, name, created_at desc, id desc);
