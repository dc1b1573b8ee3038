-- What a region has from the beginning is what its provider says (server/src/region-contents.ts), and is put there in
-- the transaction that saves the region: a new provider needs no migration. Each start of a node repeats it, and so
-- completes what a node of before this version has made meanwhile.
drop trigger regions_external_network on regions;
drop trigger regions_public_images on regions;
drop trigger regions_public_images_changed on regions;
drop trigger regions_public_subnets on regions;
drop trigger regions_security_groups on regions;
drop trigger projects_security_groups on projects;
drop function add_external_network();
drop function add_images_of_region();
drop function add_public_subnets();
drop function add_security_groups_of_region();
drop function add_security_groups_of_project();
drop function add_public_images(regions);
drop function add_default_security_groups(integer, integer);
drop function own_ipv6_range(integer);
