-- Texts that models made of files, by the content of the file. `blob` names the bytes in DATA_DIR/blobs; `kind` is
-- `transcript`; `state` is `waiting`, `read` or `failed`; `content` is what the model said, as JSON, or
-- null; `model` is the model that said it. A file that failed waits until `retry_at`.
create table model_text (
  blob        text not null,
  kind        text not null,
  name        text not null,
  state       text not null default 'waiting',
  queued_at   integer not null,
  finished_at integer,
  model       text,
  content     text,
  attempts    integer not null default 0,
  retry_at    integer not null default 0,
  error       text,
  primary key (blob, kind)
) without rowid;
create index model_text_waiting on model_text (kind, state, queued_at);

-- The documents that show a file. `is_settled` says that the document has its text, or that there is none.
create table model_text_document (
  document_id text not null,
  blob        text not null,
  kind        text not null,
  is_settled  integer not null default 0,
  primary key (document_id, blob, kind)
) without rowid;
create index model_text_document_blob on model_text_document (blob, kind);
create index model_text_document_unsettled on model_text_document (kind, blob) where is_settled = 0;

-- How much was used on a day (UTC): seconds of recordings.
create table model_text_usage (
  day    text not null,
  kind   text not null,
  amount integer not null,
  primary key (day, kind)
) without rowid;

-- The server that makes transcripts: one row, or none. `api_key` is sealed.
create table transcription_model (
  id              integer primary key,
  url             text not null,
  model           text not null,
  language        text,
  minutes_per_day integer not null,
  api_key         text,
  time_updated    integer not null
);
