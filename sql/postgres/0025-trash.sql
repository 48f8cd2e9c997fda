-- As sql/sqlite/0025-trash.sql, which explains the columns.
alter table document add column deleted_by text collate "C";
alter table document add column deletion_cause text collate "C";
alter table document add column trashed_pairs text collate "C";
alter table document add column held_from_prune bigint not null default 0;
alter table document add column no_text bigint;
update document set no_text = 1
  where body_bytes < 20000 and replace(sections, '"text":"",', '') not like '%"text":"%';
create index document_no_text on document (seq) where no_text = 1;
alter table index_attempt add column docs_without_text bigint not null default 0;
