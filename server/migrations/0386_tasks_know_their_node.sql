-- Which process works on a task, or did last.
alter table tasks add column node text;
comment on column tasks.node is 'the process that has claimed it last: machine:pid';
