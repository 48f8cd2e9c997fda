-- The user id of who made the connector: a curator manages their own until it has a cc-pair with groups.
alter table connector add column creator text;
-- 1 where a curator of groups wrote the configuration: its runs change no documents of other groups.
alter table connector add column is_curated integer not null default 0;
