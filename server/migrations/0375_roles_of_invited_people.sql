-- A role may be assigned to somebody who is invited; it becomes that of the member when they accept.
alter table invitations add constraint invitations_of_client unique (user_id, client_id);
alter table role_assignments
  alter column user_id drop not null,
  add column invited_id integer;
alter table role_assignments
  add constraint role_assignments_invited foreign key (invited_id, client_id)
    references invitations (user_id, client_id) on delete cascade,
  add constraint role_assignments_one_person check (num_nonnulls(user_id, invited_id) = 1);
create unique index role_assignments_invited_place on role_assignments (client_id, invited_id, coalesce(project_id, 0))
  where invited_id is not null;
create index role_assignments_of_invited on role_assignments (invited_id) where invited_id is not null;
