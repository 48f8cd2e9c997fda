-- Near duplicates. A signature stands for the text of a document: two texts that say nearly the same have nearly the same one.
-- Documents of one group are near duplicates of another one in it; null for documents without any.
create table document_signature (
  document_id text primary key,
  signature   text not null,
  group_id    integer
) without rowid;
create index document_signature_group on document_signature (group_id, document_id) where group_id is not null;

-- Near duplicates have at least one band in common.
create table signature_band (
  band        integer not null,
  document_id text not null,
  primary key (band, document_id)
) without rowid;

-- The last change whose document has been compared with the others.
insert into sequence values ('compared', 0);
