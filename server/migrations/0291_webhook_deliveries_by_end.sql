-- Deliveries are forgotten by when they ended.
create index webhook_deliveries_ended on webhook_deliveries (ended_at) where ended_at is not null;
