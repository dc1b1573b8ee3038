-- The end of a task is told after the commit instead of in it: a commit with a NOTIFY holds up all others like it
-- until it is on the disk.
drop trigger tasks_tell_end on tasks;
drop function tell_task_end();
