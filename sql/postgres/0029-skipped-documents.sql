create table skipped_document (
  cc_pair_id       bigint not null references cc_pair (id),
  key              text collate "C" not null,
  document_id      text collate "C" not null,
  document_link    text collate "C",
  reason           text collate "C" not null,
  index_attempt_id bigint not null,
  time_created     bigint not null,
  primary key (cc_pair_id, key)
);
create index skipped_document_attempt on skipped_document (cc_pair_id, index_attempt_id);
