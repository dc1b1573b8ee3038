-- Images can come from an address instead of a volume.
alter table images add column source_url text;
-- Only goes when no volume that was made of it is left.
alter table images add column kept_for_volumes boolean not null default false;
