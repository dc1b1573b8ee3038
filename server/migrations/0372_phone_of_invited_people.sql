-- Administrators may change the profile of somebody who has not accepted yet.
alter table invitations add column phone text;
