-- Addresses, ports and where floating IPs lead are written by the statements themselves (0231). Nodes before 0.2.0 do
-- not do that.
drop trigger floating_ips_address_changed on floating_ips;
drop trigger floating_ips_address_gone on floating_ips;
drop trigger floating_ips_address_new on floating_ips;
drop function keep_floating_address();

drop trigger k8s_nodes_address_gone on k8s_nodes;
drop trigger k8s_nodes_address_new on k8s_nodes;
drop function keep_node_address();

drop trigger load_balancers_additional_given on load_balancers;
drop trigger load_balancers_additional_gone on load_balancers;
drop function keep_additional_vip();
drop trigger load_balancers_address_changed on load_balancers;
drop trigger load_balancers_address_gone on load_balancers;
drop trigger load_balancers_address_new on load_balancers;
drop function keep_vip_address();
drop trigger load_balancers_port on load_balancers;
drop function keep_port_of_load_balancer();
drop trigger load_balancers_ports_new on load_balancers;
drop function add_ports_of_load_balancers();
drop function network_of_subnet(uuid, integer);

drop trigger ports_addresses_gone on ports;
drop function free_addresses_of_port();
drop trigger ports_floating_ips on ports;
drop function move_floating_ips_of_port();

drop trigger reserved_fixed_ips_additional_given on reserved_fixed_ips;
drop trigger reserved_fixed_ips_additional_gone on reserved_fixed_ips;
drop trigger reserved_fixed_ips_additional_new on reserved_fixed_ips;
drop function keep_additional_reserved();
drop trigger reserved_fixed_ips_address_given on reserved_fixed_ips;
drop trigger reserved_fixed_ips_address_gone on reserved_fixed_ips;
drop trigger reserved_fixed_ips_address_new on reserved_fixed_ips;
drop function keep_reserved_address();
drop trigger reserved_fixed_ips_port on reserved_fixed_ips;
drop function keep_port_of_reserved();

drop trigger audit_log_told on audit_log;
drop function tell_user_action();
drop trigger quota_counters_reaching on quota_counters;
drop function note_quota_reaching();

update database_version set needs = '0.2.0';
