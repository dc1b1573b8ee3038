-- Indexes that find parts of texts. They need the extensions pg_trgm and btree_gin: where these cannot be had, the same
-- lists read all rows of a project or client.
do $$
declare
  index text;
begin
  -- Nodes that come at the same time take turns.
  perform pg_advisory_xact_lock(hashtext('search indexes'), 0);
  begin
    create extension if not exists pg_trgm;
    create extension if not exists btree_gin;
  exception when insufficient_privilege or undefined_file or feature_not_supported or invalid_schema_name then
    return;
  end;
  foreach index in array array[
    'instances_name_search on instances
      using gin (project_id, region_id, name gin_trgm_ops) with (gin_pending_list_limit = 256)',
    'volumes_name_search on volumes
      using gin (project_id, region_id, name gin_trgm_ops) with (gin_pending_list_limit = 256)',
    'postgresql_clusters_name_search on postgresql_clusters
      using gin (project_id, region_id, name gin_trgm_ops) with (gin_pending_list_limit = 256)',
    'audit_log_subject_search on audit_log
      using gin (client_id, subject_name gin_trgm_ops) with (gin_pending_list_limit = 256) where api_group is not null',
    'load_balancers_name_search on load_balancers
      using gin (name gin_trgm_ops) with (gin_pending_list_limit = 256)',
    'networks_name_search on networks
      using gin (name gin_trgm_ops) with (gin_pending_list_limit = 256)',
    'volume_snapshots_name_search on volume_snapshots
      using gin (name gin_trgm_ops) with (gin_pending_list_limit = 256)'
  ] loop
    -- One table a transaction: other nodes work on several of them meanwhile, and each would wait for the other.
    commit;
    perform pg_advisory_xact_lock(hashtext('search indexes'), 0);
    execute 'create index if not exists ' || index;
  end loop;
end $$;
