-- A document in the trash: who put it there (as in `pushed_by`), how it came there ('request', 'pair' or 'prune'), and
-- the cc-pairs that it belonged to, joined by commas.
alter table document add column deleted_by text;
alter table document add column deletion_cause text;
alter table document add column trashed_pairs text;
-- Restored from the trash although its source may not have it any more: pruning leaves it until the source names it.
alter table document add column held_from_prune integer not null default 0;

-- 1 where no section has any text, as in a scan. Null: it came before this was written down, and is long.
alter table document add column no_text integer;
update document set no_text = 1
  where body_bytes < 20000 and replace(sections, '"text":"",', '') not like '%"text":"%';
create index document_no_text on document (seq) where no_text = 1;
-- How many documents of a run had no text.
alter table index_attempt add column docs_without_text integer not null default 0;
