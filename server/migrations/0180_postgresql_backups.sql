-- Backups of a cluster: how often, and how many are kept; null: none. What a cluster was restored from, and up to when.
alter table postgresql_clusters add backups jsonb;
alter table postgresql_clusters add restored_from jsonb;
