-- How many documents a run changed and found unchanged. Runs of older versions have 0.
alter table index_attempt add column changed_docs integer not null default 0;
alter table index_attempt add column unchanged_docs integer not null default 0;

-- The last lines of the log of the newest runs of a pair.
create table attempt_log_line (
  cc_pair_id       integer not null references cc_pair (id),
  index_attempt_id integer not null,
  line             integer not null,
  time             integer not null,
  level            text not null,
  text             text not null,
  primary key (cc_pair_id, index_attempt_id, line)
) without rowid;

-- Ids that the last complete listing of the source named and the pair did not have then.
create table missing_document (
  cc_pair_id  integer not null references cc_pair (id),
  key         text not null,
  document_id text not null,
  primary key (cc_pair_id, key)
) without rowid;

-- When the source was last listed completely, and what it listed that the pair did not have, however many are kept.
alter table cc_pair_schedule add column listed_at integer;
alter table cc_pair_schedule add column missing_count integer;
