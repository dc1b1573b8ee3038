-- What the servers of a cluster prove themselves with: the certificate of its own authority, which clients may have,
-- theirs, and their private key, encrypted under the master key of this id. All null until the cluster has its place.
alter table postgresql_clusters add ca_certificate text;
alter table postgresql_clusters add server_certificate text;
alter table postgresql_clusters add tls_key_id text;
alter table postgresql_clusters add sealed_tls_key bytea;
