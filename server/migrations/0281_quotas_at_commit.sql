-- For statements that are sent together with the commit: what they did not find as it was expected is done again.
create function repeat_unless(expected boolean) returns void language plpgsql as $$
begin
  if not expected then
    raise exception 'this has changed meanwhile' using errcode = 'serialization_failure';
  end if;
end $$;
