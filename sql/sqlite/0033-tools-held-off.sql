-- 1 where an administrator switched the tool of somebody else off: only an administrator switches it on again.
alter table tool add column held_off integer not null default 0;
