-- As sql/sqlite/0062-vector-texts.sql, which explains the column.
alter table chunk_vector add column text_hash text collate "C";
create index chunk_vector_text on chunk_vector (text_hash, model, hash) where text_hash is not null;
