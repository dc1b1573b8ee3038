-- Deliveries are claimed target by target: those of one that does not answer keep nobody else's waiting.
create index webhook_deliveries_due_of_target on webhook_deliveries (target_id, next_attempt_at, id) where state = 'WAITING';
drop index webhook_deliveries_due;
