-- What the runs of a pair left out on purpose, and why: a row for each document, by a digest of its id.
create table skipped_document (
  cc_pair_id       integer not null references cc_pair (id),
  key              text not null,
  document_id      text not null,
  document_link    text,
  reason           text not null,
  index_attempt_id integer not null,
  time_created     integer not null,
  primary key (cc_pair_id, key)
) without rowid;
create index skipped_document_attempt on skipped_document (cc_pair_id, index_attempt_id);
