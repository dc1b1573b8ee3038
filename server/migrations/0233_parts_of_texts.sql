-- Lists are filtered by parts of names and of what was changed. The index holds each three characters in a row that a
-- text has, behind the place where it is looked for: nobody's list reads what others have.
create function text_parts(place integer, within integer, t text) returns text[]
language plpgsql immutable strict parallel safe as $$
declare
  folded text := lower(t);
  prefix text := place || '.' || within || '.';
  parts text[] := '{}';
begin
  for i in 1 .. length(folded) - 2 loop
    parts := parts || (prefix || substr(folded, i, 3));
  end loop;
  return parts;
end $$;

-- What was added last is searched row by row, so there is little of it.
create index volumes_name_parts on volumes
  using gin (text_parts(project_id, region_id, name)) with (gin_pending_list_limit = 256);
create index instances_name_parts on instances
  using gin (text_parts(project_id, region_id, name)) with (gin_pending_list_limit = 256);
create index postgresql_clusters_name_parts on postgresql_clusters
  using gin (text_parts(project_id, region_id, name)) with (gin_pending_list_limit = 256);
create index audit_log_subject_parts on audit_log
  using gin (text_parts(client_id, 0, subject_name)) with (gin_pending_list_limit = 256) where api_group is not null;

-- Those of a name in the order of the list.
create index security_groups_named on security_groups (project_id, region_id, name, created_at desc, id desc);
drop index security_groups_name;
