-- How the text of a document was read: its kind of file, and what was skipped. Null for pushed documents and for those that
-- were read before.
alter table document add column text_report text;
