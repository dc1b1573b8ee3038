-- The statements that delete and change what is paid for note themselves what it was used for.
drop trigger instances_end_usage on instances;
drop trigger volumes_end_usage on volumes;
drop trigger volume_snapshots_end_usage on volume_snapshots;
drop trigger images_end_usage on images;
drop trigger floating_ips_end_usage on floating_ips;
drop trigger ports_end_usage on ports;
drop trigger load_balancers_end_usage on load_balancers;
drop trigger instances_change_usage on instances;
drop trigger volumes_change_usage on volumes;
drop trigger load_balancers_change_usage on load_balancers;
drop function end_usage();
drop function usage_of(instances);
drop function usage_of(volumes);
drop function usage_of(volume_snapshots);
drop function usage_of(images);
drop function usage_of(floating_ips);
drop function usage_of(ports);
drop function usage_of(load_balancers);
