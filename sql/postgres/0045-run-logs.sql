-- As sql/sqlite/0045-run-logs.sql, which explains the tables.
alter table index_attempt add column changed_docs bigint not null default 0;
alter table index_attempt add column unchanged_docs bigint not null default 0;

create table attempt_log_line (
  cc_pair_id       bigint not null references cc_pair (id),
  index_attempt_id bigint not null,
  line             integer not null,
  time             bigint not null,
  level            text collate "C" not null,
  text             text collate "C" not null,
  primary key (cc_pair_id, index_attempt_id, line)
);

create table missing_document (
  cc_pair_id  bigint not null references cc_pair (id),
  key         text collate "C" not null,
  document_id text collate "C" not null,
  primary key (cc_pair_id, key)
);

alter table cc_pair_schedule add column listed_at bigint;
alter table cc_pair_schedule add column missing_count bigint;
