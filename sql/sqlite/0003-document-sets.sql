-- A set names cc-pairs; which documents that means is asked at every search, so no document knows its sets.
create table document_set (
  id           integer primary key autoincrement,
  name         text not null unique,
  description  text not null,
  is_public    integer not null,
  users        text not null,
  groups       text not null,
  time_created integer not null,
  time_updated integer not null
);

create table document_set_cc_pair (
  document_set_id integer not null references document_set (id),
  cc_pair_id      integer not null references cc_pair (id),
  primary key (document_set_id, cc_pair_id)
) without rowid;
create index document_set_cc_pair_pair on document_set_cc_pair (cc_pair_id);

-- A credential that goes with the last of its pairs, which are being deleted.
alter table credential add column deleting integer not null default 0;
