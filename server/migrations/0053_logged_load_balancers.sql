-- Few load balancers log; a list of them should not look at all the others.
create index load_balancers_logging_enabled on load_balancers (project_id, region_id, created_at desc, id desc)
  where logging_enabled;
