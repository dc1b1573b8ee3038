-- What is old enough to be forgotten is found by its age.
create index sign_ins_at on sign_ins (at);
create index mail_outbox_ended on mail_outbox (coalesce(sent_at, failed_at))
  where sent_at is not null or failed_at is not null;
create index password_links_expires on password_links (expires_at);
