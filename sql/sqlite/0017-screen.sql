-- What speaks to a model that reads it, or is not seen by a person, in the words of `PassageWarning`; null: not looked
-- at yet. `hidden_characters` were taken out when the document came.
alter table document add column warnings text;
alter table document add column hidden_characters integer not null default 0;
create index document_unscreened on document (id) where warnings is null;
create index document_warned on document (source) where warnings <> '[]' or hidden_characters > 0;
