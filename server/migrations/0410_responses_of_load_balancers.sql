-- How many responses load balancers gave, of which kind, how long members took, and whether all was well.
alter table lb_samples
  add column connections bigint,
  add column responses_2xx bigint,
  add column responses_3xx bigint,
  add column responses_4xx bigint,
  add column responses_5xx bigint,
  add column responses_other bigint,
  add column responses_timed bigint,
  add column response_ms bigint,
  add column alert text check (alert in ('DEGRADED', 'ERROR'));

comment on column lb_samples.alert is 'the operating status if it was one of these; of a coarse sample the worst of its quarter of an hour';
