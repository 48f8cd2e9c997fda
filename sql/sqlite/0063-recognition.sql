-- Texts recognised in pictures and scanned pages, by the content of the file. `blob` names the bytes in DATA_DIR/blobs;
-- `state` is `waiting`, `read` or `failed`; `pages` holds what is read so far: [{"page": 0, "text": "…",
-- "confidence": 0.98}] or [{"page": 0, "reason": "…"}]. A file that could not be read waits until `retry_at`.
create table recognition (
  blob        text primary key,
  name        text not null,
  state       text not null default 'waiting',
  queued_at   integer not null,
  finished_at integer,
  pages       text not null default '[]',
  attempts    integer not null default 0,
  retry_at    integer not null default 0,
  error       text
) without rowid;
create index recognition_waiting on recognition (state, queued_at);

-- The documents that show a file. `is_settled` says that the document has its text, or that there is none.
create table recognition_document (
  document_id text not null,
  blob        text not null,
  is_settled  integer not null default 0,
  primary key (document_id, blob)
) without rowid;
create index recognition_document_blob on recognition_document (blob);
create index recognition_document_unsettled on recognition_document (document_id, blob) where is_settled = 0;
