-- Whoever draws a number holds a lock, shared with all others who do, until its transaction has ended. So readers of
-- changes need to wait for those alone, and not for whatever else goes on in the database cluster.

-- Nobody has drawn a number without the lock and is still on the way.
lock table tasks in share row exclusive mode;
create or replace function next_task_change() returns bigint language plpgsql volatile as $$
begin
  -- Nodes of before wait for transactions by their numbers.
  perform pg_current_xact_id();
  perform pg_advisory_xact_lock_shared(72118, 0);
  return nextval('task_changes');
end $$;
