-- Secrets and personal data in documents. `sensitive_text` is null while a document is not searched for them, empty if it
-- has none, else a hash that names the searched text. Nobody finds a quarantined document.
alter table document add column sensitive_text text;
alter table document add column quarantined_at integer;
create index document_unsearched on document (seq) where sensitive_text is null;
create index document_quarantined on document (seq) where quarantined_at is not null;

-- One row for each document with findings. `released_text` is the text that an administrator has released.
create table sensitive_document (
  document_id   text primary key,
  text_hash     text not null,
  found_at      integer not null,
  released_text text,
  released_at   integer
) without rowid;

-- What was found, and where; never the content itself. `places` is [{"section": 1, "heading": "…", "page": 2, "count": 3}].
-- A dismissed finding is not reported until its count changes.
create table sensitive_finding (
  document_id     text not null,
  kind            text not null,
  text_hash       text not null,
  is_secret       integer not null,
  count           integer not null,
  places          text not null,
  dismissed_count integer,
  dismissed_at    integer,
  primary key (document_id, kind)
) without rowid;
create index sensitive_finding_kind on sensitive_finding (kind, document_id);
