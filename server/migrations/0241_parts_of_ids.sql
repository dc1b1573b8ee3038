-- Lists are filtered by parts of ids. The index holds an id's digits four by four behind the place where it is looked
-- for, eight entries instead of one for each three signs in a row: seven digits have four of these, wherever they begin.
create function id_parts(place integer, within integer, id uuid) returns text[]
language sql immutable strict parallel safe as $$
  select array[p || substr(t, 1, 4), p || substr(t, 5, 4), p || substr(t, 10, 4), p || substr(t, 15, 4),
               p || substr(t, 20, 4), p || substr(t, 25, 4), p || substr(t, 29, 4), p || substr(t, 33, 4)]
    from (select place || '.' || within || '.' as p, id::text as t) signs
$$;

create index volumes_id_parts on volumes
  using gin (id_parts(project_id, region_id, id)) with (gin_pending_list_limit = 256);
create index instances_id_parts on instances
  using gin (id_parts(project_id, region_id, id)) with (gin_pending_list_limit = 256);
