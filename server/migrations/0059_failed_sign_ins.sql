-- Attempts to sign in that failed are shown to the account as well.
alter table sign_ins add column is_successful boolean not null default true;
