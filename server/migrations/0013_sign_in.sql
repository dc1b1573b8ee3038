-- What people need to sign in and to manage who else may.

alter table users
  add column lang text not null default 'en' check (lang in ('de', 'en', 'ru', 'zh', 'az')),
  add column phone text,
  -- Part of every signed token: raising it ends all sessions of the user.
  add column session_version integer not null default 1;

-- Links that are mailed: they let whoever has them set the password once.
create table password_links (
  hash bytea primary key,
  user_id integer not null references users (id),
  expires_at timestamptz not null
);
create index password_links_user on password_links (user_id);

create table sign_ins (
  id bigint generated always as identity primary key,
  client_id integer not null references clients (id),
  user_id integer not null references users (id),
  at timestamptz not null,
  ip text not null,
  user_agent text not null
);
create index sign_ins_client on sign_ins (client_id, id desc);
