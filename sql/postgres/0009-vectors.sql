-- As sql/sqlite/0009-vectors.sql, which explains the table.
alter table receipt add column embedded_at bigint;

create table chunk_vector (
  hash        text collate "C" not null,
  model       text collate "C" not null,
  document_id text collate "C" not null,
  vector      text collate "C" not null,
  primary key (hash, model)
);
create index chunk_vector_document on chunk_vector using hash (document_id);
