-- When an administrator hid the document. A hidden document is in no index, and nobody finds it until it is shown again.
alter table document add column hidden_at integer;
