-- Answers that are kept to be given again, and tokens in mail that waits, are encrypted; who may have an answer
-- again is kept with it.

alter table idempotency_keys
  -- Whoever made the first request, and with which role. Empty: before this was noted; nobody gets the answer again.
  add column caller text not null default '',
  add column role text not null default '',
  -- The answer's text, under which master key. One that is gone has taken the answer with it.
  add column key_id text,
  add column sealed bytea,
  drop column answer;

alter table mail_outbox
  -- What stands in the place of `{{secret}}` in the body, until the mail is sent.
  add column key_id text references master_keys (id),
  add column sealed bytea,
  add constraint mail_outbox_sealed check ((key_id is null) = (sealed is null));
create index mail_outbox_key on mail_outbox (key_id) where key_id is not null;

-- Tokens that stand in clear in mail of before: they were sent, or can be asked for again.
update mail_outbox set body = 'This mail held a token.'
  where kind in ('password_reset', 'invitation') and (sent_at is not null or failed_at is not null);
