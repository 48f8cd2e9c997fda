-- As sql/sqlite/0066-model-texts.sql, which explains the tables.
create table model_text (
  blob        text collate "C" not null,
  kind        text collate "C" not null,
  name        text collate "C" not null,
  state       text collate "C" not null default 'waiting',
  queued_at   bigint not null,
  finished_at bigint,
  model       text collate "C",
  content     text collate "C",
  attempts    bigint not null default 0,
  retry_at    bigint not null default 0,
  error       text collate "C",
  primary key (blob, kind)
);
create index model_text_waiting on model_text (kind, state, queued_at);

create table model_text_document (
  document_id text collate "C" not null,
  blob        text collate "C" not null,
  kind        text collate "C" not null,
  is_settled  bigint not null default 0
);
create unique index model_text_document_key on model_text_document (key_of(document_id), blob, kind);
create index model_text_document_document on model_text_document using hash (document_id);
create index model_text_document_blob on model_text_document (blob, kind);
create index model_text_document_unsettled on model_text_document (kind, blob) where is_settled = 0;

create table model_text_usage (
  day    text collate "C" not null,
  kind   text collate "C" not null,
  amount bigint not null,
  primary key (day, kind)
);

create table transcription_model (
  id              bigint primary key,
  url             text collate "C" not null,
  model           text collate "C" not null,
  language        text collate "C",
  minutes_per_day bigint not null,
  api_key         text collate "C",
  time_updated    bigint not null
);
