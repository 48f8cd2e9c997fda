-- Stands for the text that the model got, so that equal texts of several documents are sent to it once; null in rows
-- from before.
alter table chunk_vector add column text_hash text;
create index chunk_vector_text on chunk_vector (text_hash, model, hash) where text_hash is not null;
