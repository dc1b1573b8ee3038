-- What a listener has counted stays in its row when the listener goes, whichever node deletes it. What load balancers
-- show adds up all rows, and a job brings those of listeners that are gone into lb_ended_stats.
drop trigger lb_listener_stats_ended on lb_listener_stats;
drop function keep_ended_stats();
alter table lb_listener_stats drop constraint lb_listener_stats_listener_id_fkey;
