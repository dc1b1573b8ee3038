-- An index of parts goes through the list of each part that it is asked for. Where names begin alike, most of these are as
-- long as the table. What is looked for has all of its parts, so that the rare ones find it.

/* Of parts of a text those that at most one in fifty rows has, or else the rarest.
   relation: what the names of the indexes match, for each partition has one of its own */
create function rare_parts(relation text, parts text[]) returns text[] language sql stable as $$
  with common as (
    select e.part, max(e.frequency) as frequency
      from pg_stats s cross join unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) e (part, frequency)
     where s.schemaname = current_schema and s.tablename ~ relation and e.part = any(parts)
     group by e.part),
  known as (
    select distinct p.part, coalesce(c.frequency, 0) as frequency from unnest(parts) p (part) left join common c using (part)),
  least as (select min(frequency) as frequency from known)
  select coalesce(array_agg(k.part order by k.part), parts) from known k, least l
   where k.frequency <= greatest(l.frequency, 0.02)
$$;
