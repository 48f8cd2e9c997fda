-- How many people opened a document from a search, as a step of `clickLevel`: three at least. `query_key` is that of the query
-- that they asked, or empty for all queries.
create table document_popularity (
  document_id text not null,
  query_key   text not null,
  level       integer not null,
  primary key (document_id, query_key)
) strict, without rowid;

-- How many other documents of the pair link to the document.
create table linked_document (
  document_id text not null,
  cc_pair_id  integer not null references cc_pair (id),
  links       integer not null,
  primary key (document_id, cc_pair_id)
) strict, without rowid;
create index linked_document_pair on linked_document (cc_pair_id);
