-- Tokens that may report usage and nothing else.
alter table api_tokens drop constraint api_tokens_role_check;
alter table api_tokens add constraint api_tokens_role_check
  check (role in ('Administrators', 'Engineers', 'Users', 'operator', 'reporter'));
