-- Sessions are rows: a token or cookie counts while its row is there, and signing out deletes it.

create table sessions (
  id uuid primary key,
  -- Sessions that were opened from one another end together.
  family_id uuid not null,
  user_id integer not null references users (id),
  client_id integer not null references clients (id),
  -- The API token that opened it: the session ends with the token and may do no more.
  token_id integer references api_tokens (id),
  -- Raised by each refresh. A refresh token with a lower one has been used before.
  generation integer not null default 0,
  -- SHA-256 of the cookie's secret; null for a session of bearer tokens.
  cookie_hash bytea,
  ip text not null,
  user_agent text not null,
  -- When the person signed in, also for sessions that were opened from that one.
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  expires_at timestamptz not null
);
create index sessions_user on sessions (user_id, token_id, last_used_at);
create index sessions_family on sessions (family_id);
create index sessions_token on sessions (token_id) where token_id is not null;
create index sessions_expires on sessions (expires_at);

alter table users
  drop column session_version,
  -- Where signing in leads to.
  add column last_client_id integer references clients (id);

-- The first client that a person joined is their own.
alter table client_users add column joined_at timestamptz not null default now();

-- A token that was made with another one ends with it.
alter table api_tokens add column made_with integer references api_tokens (id);
create index api_tokens_made_with on api_tokens (made_with) where made_with is not null;

-- A membership begins when the invited person accepts.
create table invitations (
  -- Names the invited person until then, and becomes the id of a new user. It comes from the same sequence
  -- for everybody, so that it does not tell who has an account.
  user_id integer primary key,
  client_id integer not null references clients (id),
  email text not null,
  name text,
  lang text not null default 'en' check (lang in ('de', 'en', 'ru', 'zh', 'az')),
  role text not null check (role in ('Administrators', 'Engineers', 'Users')),
  -- SHA-256 of the mailed token.
  hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- The user who accepted it; the client may go on to name them by the id of the invitation.
  accepted_by integer references users (id)
);
create unique index invitations_hash on invitations (hash);
create unique index invitations_email on invitations (client_id, lower(email collate "C")) where accepted_by is null;

-- What is mailed or printed and works once: a link for a new password, to confirm a new address, to sign in.
alter table password_links rename to one_time_links;
alter index password_links_user rename to one_time_links_user;
alter index password_links_expires rename to one_time_links_expires;
alter index password_links_pkey rename to one_time_links_pkey;
alter table one_time_links
  add column kind text not null default 'password' check (kind in ('password', 'email', 'sign_in')),
  -- The address to confirm.
  add column email text;
