-- What of `used` is not among region_addresses: engines that are no load balancers have addresses of the region, too.
alter table region_capacity add column beside integer not null default 0 check (beside >= 0);

comment on column region_capacity.beside is 'how many of the used addresses region_addresses does not have';
