-- A cold copy of a database that is put back has the cluster and the timeline of what it replaces. That it was started
-- anew is what tells them apart; a plain restart begins an epoch that has all of the history, and so loses no reader.
alter table task_epochs add column server_started_at timestamptz;
