-- As sql/sqlite/0072-popularity.sql, which explains the tables.
create table document_popularity (
  document_id text collate "C" not null,
  query_key   text collate "C" not null,
  level       bigint not null
);
create unique index document_popularity_key on document_popularity (key_of(document_id), query_key);
create index document_popularity_document on document_popularity using hash (document_id);

create table linked_document (
  document_id text collate "C" not null,
  cc_pair_id  bigint not null references cc_pair (id),
  links       bigint not null
);
create unique index linked_document_key on linked_document (key_of(document_id), cc_pair_id);
create index linked_document_document on linked_document using hash (document_id);
create index linked_document_pair on linked_document (cc_pair_id);
