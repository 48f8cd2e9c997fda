-- What pulls from a source, and how it went. One row of `cc_pair_schedule` for each pair that has a connector: whoever
-- holds its lease is the one that runs, and `fence` grows with each holder, so that one who lost it cannot write.
create table cc_pair_schedule (
  cc_pair_id    integer primary key references cc_pair (id),
  holder        text,
  lease_until   integer,
  fence         integer not null,
  last_started  integer,
  failures      integer not null,
  not_before    integer,
  wait_reason   text,
  wait_until    integer,
  polled_until  integer,
  prune_wanted  integer not null,
  prune_state   text,
  prune_started integer,
  prune_error   text,
  prune_removed integer,
  last_pruned   integer,
  source_count  integer,
  counted_at    integer
);

-- `checkpoint` is written together with the documents before it: whoever resumes begins there.
create table index_attempt (
  id               integer primary key autoincrement,
  cc_pair_id       integer not null references cc_pair (id),
  status           text not null,
  from_beginning   integer not null,
  targets          text,
  poll_range_start integer,
  poll_range_end   integer,
  checkpoint       text,
  new_docs         integer not null,
  total_docs       integer not null,
  removed_docs     integer not null,
  skipped_docs     integer not null,
  error_count      integer not null,
  error_msg        text,
  trace            text,
  time_created     integer not null,
  time_started     integer,
  time_updated     integer not null,
  time_finished    integer
);
create index index_attempt_pair on index_attempt (cc_pair_id, id);

-- Documents that the source has and that could not be read.
create table index_attempt_error (
  id               integer primary key autoincrement,
  cc_pair_id       integer not null references cc_pair (id),
  index_attempt_id integer not null,
  document_id      text,
  document_link    text,
  entity_id        text,
  stage            text not null,
  failure_message  text not null,
  is_resolved      integer not null,
  time_created     integer not null
);
create index index_attempt_error_pair on index_attempt_error (cc_pair_id, is_resolved, id);

-- What a connector remembers of single things of its source, such as the ETag of a page. The key is a digest.
create table source_note (
  cc_pair_id integer not null references cc_pair (id),
  key        text not null,
  value      text not null,
  primary key (cc_pair_id, key)
) without rowid;

-- The documents that a pair had before its source was listed; those that the listing names leave. `key` is a digest.
create table prune_candidate (
  cc_pair_id  integer not null references cc_pair (id),
  key         text not null,
  document_id text not null,
  seq         integer not null,
  primary key (cc_pair_id, key)
) without rowid;
