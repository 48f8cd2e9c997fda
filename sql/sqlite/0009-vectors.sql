-- When every chunk of the version had its vector; null while one has not.
alter table receipt add column embedded_at integer;

-- What the model answered, so that no text is sent to it twice, also when the index is made anew. `hash` stands for
-- document, title and content, as the index names its chunks; `vector` is one byte a number behind their scale, as base64.
create table chunk_vector (
  hash        text not null,
  model       text not null,
  document_id text not null,
  vector      text not null,
  primary key (hash, model)
) without rowid;
create index chunk_vector_document on chunk_vector (document_id);
