-- Those that a task works on: few, and looked through often.
create index load_balancers_held on load_balancers (task_id) where task_id is not null;
