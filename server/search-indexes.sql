-- Indexes that find parts of texts. They need the extensions pg_trgm and btree_gin: where these cannot be had, the same
-- lists read all rows of a project or client.
do $$
begin
  -- Nodes that come at the same time take turns.
  perform pg_advisory_xact_lock(hashtext('search indexes'), 0);
  begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
  exception when insufficient_privilege or undefined_file or feature_not_supported or invalid_schema_name then
    return;
  end;
  create index if not exists instances_name_search on instances
    using gin (project_id, region_id, name gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index if not exists volumes_name_search on volumes
    using gin (project_id, region_id, name gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index if not exists postgresql_clusters_name_search on postgresql_clusters
    using gin (project_id, region_id, name gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index if not exists audit_log_subject_search on audit_log
    using gin (client_id, subject_name gin_trgm_ops) with (gin_pending_list_limit = 256) where api_group is not null;
  create index if not exists load_balancers_name_search on load_balancers
    using gin (name gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index if not exists networks_name_search on networks
    using gin (name gin_trgm_ops) with (gin_pending_list_limit = 256);
  create index if not exists volume_snapshots_name_search on volume_snapshots
    using gin (name gin_trgm_ops) with (gin_pending_list_limit = 256);
end $$;
