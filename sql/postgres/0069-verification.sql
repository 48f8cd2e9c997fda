-- As sql/sqlite/0069-verification.sql, which explains the tables. JSON with a NUL in it cannot be read, and names nobody.
create table document_owner (
  document_id text collate "C" not null,
  email_key   text collate "C" not null,
  is_primary  bigint not null
);
create unique index document_owner_key on document_owner (key_of(document_id), email_key);
create index document_owner_document on document_owner using hash (document_id);
create index document_owner_email on document_owner (email_key);
insert into document_owner
  select document_id, email_key, max(is_primary) from (
    select document.id as document_id, lower(owner.value ->> 'email' collate "C") as email_key, 1 as is_primary
      from document, json_array_elements(document.primary_owners::json) as owner
      where primary_owners <> '[]' and strpos(primary_owners, '\u0000') = 0
    union all
    select document.id, lower(owner.value ->> 'email' collate "C"), 0
      from document, json_array_elements(document.secondary_owners::json) as owner
      where secondary_owners <> '[]' and strpos(secondary_owners, '\u0000') = 0) as named
  where email_key <> '' group by document_id, email_key;

alter table document add column text_changed_at bigint;

create table document_verification (
  document_id    text collate "C" not null,
  verified_by    text collate "C",
  verified_at    bigint not null,
  verified_until bigint not null
);
create unique index document_verification_key on document_verification (key_of(document_id));
create index document_verification_document on document_verification using hash (document_id);
create index document_verification_person on document_verification (verified_by);

create index document_age on document (coalesce(doc_updated_at, accepted_at), seq) where deleted_at is null;
create index search_feedback_document on search_feedback using hash (document_id) where clicked = 1;
