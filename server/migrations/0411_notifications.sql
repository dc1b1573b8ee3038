-- What people were notified of by mail, or would have been by a webhook, and who has read it.
create table notifications (
  id bigint generated always as identity primary key,
  client_id integer references clients on delete cascade,
  user_id integer references users on delete cascade,
  for_administrators boolean not null default false,
  kind text not null,
  means text not null check (means in ('mail', 'webhook')),
  subject text not null,
  body text,
  source text,
  created_at timestamptz not null,
  constraint notifications_of_one check (num_nonnulls(client_id, user_id) = 1)
);
create index notifications_of_client on notifications (client_id, id desc) where client_id is not null;
create index notifications_of_user on notifications (user_id, id desc) where user_id is not null;
create index notifications_age on notifications (created_at);

comment on column notifications.client_id is 'whose people it is for; null: it is for one person';
comment on column notifications.source is 'what it comes from, where that may repeat itself: webhook_targets/3';

create table notification_reads (
  notification_id bigint not null references notifications on delete cascade,
  user_id integer not null references users on delete cascade,
  read_at timestamptz not null,
  primary key (notification_id, user_id)
);
create index notification_reads_user on notification_reads (user_id);
