-- What has no value comes last in ascending order and first in descending order, so that one index serves both: a
-- creation writes each index twice.
drop index load_balancers_flavor_desc;
drop index load_balancers_updated_at_desc;
drop index load_balancers_vip_address_desc;
drop index load_balancers_vip_ip_family_desc;
drop index reserved_fixed_ips_address_desc;
alter index load_balancers_flavor_asc rename to load_balancers_flavor;
alter index load_balancers_updated_at_asc rename to load_balancers_updated_at;
alter index load_balancers_vip_address_asc rename to load_balancers_vip_address;
alter index load_balancers_vip_ip_family_asc rename to load_balancers_vip_ip_family;

-- Nothing is looked for by them: lists are ordered by time, and so are entries that deliveries name.
drop index audit_log_client;
drop index audit_log_user_actions;
