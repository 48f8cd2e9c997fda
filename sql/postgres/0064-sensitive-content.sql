-- As sql/sqlite/0064-sensitive-content.sql, which explains the tables.
alter table document add column sensitive_text text collate "C";
alter table document add column quarantined_at bigint;
create index document_unsearched on document (seq) where sensitive_text is null;
create index document_quarantined on document (seq) where quarantined_at is not null;

create table sensitive_document (
  document_id   text collate "C" not null,
  text_hash     text collate "C" not null,
  found_at      bigint not null,
  released_text text collate "C",
  released_at   bigint
);
create unique index sensitive_document_key on sensitive_document (key_of(document_id));
create index sensitive_document_document on sensitive_document using hash (document_id);

create table sensitive_finding (
  document_id     text collate "C" not null,
  kind            text collate "C" not null,
  text_hash       text collate "C" not null,
  is_secret       bigint not null,
  count           bigint not null,
  places          text collate "C" not null,
  dismissed_count bigint,
  dismissed_at    bigint
);
create unique index sensitive_finding_key on sensitive_finding (key_of(document_id), kind);
create index sensitive_finding_document on sensitive_finding using hash (document_id);
create index sensitive_finding_kind on sensitive_finding (kind);
