-- Who pushed the newest version: the e-mail address of the person that the key acts for, else the `user_id` of the key.
-- Null: a connector read it, or it came before this was written down.
alter table document add column pushed_by text;
