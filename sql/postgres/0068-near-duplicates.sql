-- As sql/sqlite/0068-near-duplicates.sql, which explains the tables.
create table document_signature (
  document_id text collate "C" not null,
  signature   text collate "C" not null,
  group_id    bigint
);
create unique index document_signature_key on document_signature (key_of(document_id));
create index document_signature_document on document_signature using hash (document_id);
create index document_signature_group on document_signature (group_id) where group_id is not null;

create table signature_band (
  band        bigint not null,
  document_id text collate "C" not null
);
create index signature_band_band on signature_band (band);

insert into sequence values ('compared', 0);
