-- What the health monitor found out about a member: {"reason": its own words, "since": when it went up or down}.
alter table lb_members add column last_check jsonb;
