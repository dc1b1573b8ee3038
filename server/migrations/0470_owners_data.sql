-- Whether a region would leave data behind, and at which addresses its machine can be asked whether it is there.
alter table region_owners add column has_data boolean not null default false;
alter table region_owners add column addresses text[] not null default '{}';

comment on column region_owners.has_data is 'whether its machine has files that do not move with the region';
comment on column region_owners.addresses is 'some of those that its machine has on interfaces';
