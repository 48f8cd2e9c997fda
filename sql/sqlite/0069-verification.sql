-- The owners that a document names, by their address in lower case: the documents of a person are found without reading all.
create table document_owner (
  document_id text not null,
  email_key   text not null,
  is_primary  integer not null,
  primary key (document_id, email_key)
) without rowid;
create index document_owner_email on document_owner (email_key, document_id);
insert into document_owner
  select document_id, email_key, max(is_primary) from (
    select document.id as document_id, lower(json_extract(value, '$.email')) as email_key, 1 as is_primary
      from document, json_each(document.primary_owners)
    union all
    select document.id, lower(json_extract(value, '$.email')), 0 from document, json_each(document.secondary_owners))
  where email_key <> '' group by document_id, email_key;

-- When title or text changed last; null if they never did, or not since this column exists.
alter table document add column text_changed_at integer;

-- Who said that a document is still right, and until when. `verified_by` is null once that person is deleted.
create table document_verification (
  document_id    text primary key,
  verified_by    text,
  verified_at    integer not null,
  verified_until integer not null
) without rowid;
create index document_verification_person on document_verification (verified_by);

-- The oldest documents first, and the clicks on a document.
create index document_age on document (coalesce(doc_updated_at, accepted_at), seq) where deleted_at is null;
create index search_feedback_document on search_feedback (document_id, user_id, asked_at) where clicked = 1;
