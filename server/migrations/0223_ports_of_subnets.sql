-- The ports of a subnet are found in the index alone.
create index region_addresses_subnet_owner on region_addresses (subnet_id, owner_id) where subnet_id is not null;
drop index region_addresses_subnet;
