-- The span of the request that started a task, as `traceparent` names it, so that its runs are part of the same trace on
-- whichever node they are. Null: nothing was traced.
alter table tasks add column trace text;
