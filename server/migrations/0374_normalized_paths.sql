-- Whether path rules of L7 policies compare the decoded path: on for new listeners, off for those that are there.
alter table lb_listeners add column normalize_path boolean not null default false;
