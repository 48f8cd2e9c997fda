-- As sql/sqlite/0063-recognition.sql, which explains the tables.
create table recognition (
  blob        text collate "C" primary key,
  name        text collate "C" not null,
  state       text collate "C" not null default 'waiting',
  queued_at   bigint not null,
  finished_at bigint,
  pages       text collate "C" not null default '[]',
  attempts    bigint not null default 0,
  retry_at    bigint not null default 0,
  error       text collate "C"
);
create index recognition_waiting on recognition (state, queued_at);

create table recognition_document (
  document_id text collate "C" not null,
  blob        text collate "C" not null,
  is_settled  bigint not null default 0
);
create unique index recognition_document_key on recognition_document (key_of(document_id), blob);
create index recognition_document_document on recognition_document using hash (document_id);
create index recognition_document_blob on recognition_document (blob);
create index recognition_document_unsettled on recognition_document (blob) where is_settled = 0;
