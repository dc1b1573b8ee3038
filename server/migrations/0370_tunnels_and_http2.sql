-- How long a WebSocket may be silent, and which version of HTTP members of a pool speak.
alter table lb_pools
  add column timeout_tunnel integer,
  add column member_http_version text not null default '1.1';

comment on column lb_pools.timeout_tunnel is 'milliseconds; null: an hour';
