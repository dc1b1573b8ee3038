-- The expiration of a secret is what its client asked for, and nothing where it asked for none. Until now the end of
-- the certificate was written there as well; that end has its own column.
update secrets set expiration = null where expiration = not_after;
