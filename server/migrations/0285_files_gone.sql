-- Files of deleted storages go after nobody can restore them. Where that was interrupted, nobody came back: what says that
-- they are gone is written when they are. Of storages of before, they are removed once more, where any are left.
alter table object_storages add column files_gone_at timestamptz;

comment on column object_storages.files_gone_at is 'when the files that were kept of it had been removed';
