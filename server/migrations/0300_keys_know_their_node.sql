-- A key whose process is gone is free again after ten seconds. Nodes of 0.2.0 do not say which one they are: their keys are
-- free after a minute, as before.
alter table idempotency_keys add column session uuid;

comment on column idempotency_keys.session is 'the process that makes the request, as in nodes';
