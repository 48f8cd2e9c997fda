-- How often a pair asks its source who may read what, and what became of it: `access_closed` says that it could not be
-- learnt, and that the documents of the pair are open to nobody until it is.
alter table cc_pair_schedule add column access_freq bigint;
alter table cc_pair_schedule add column access_synced bigint;
alter table cc_pair_schedule add column access_started bigint;
alter table cc_pair_schedule add column access_failures bigint not null default 0;
alter table cc_pair_schedule add column access_not_before bigint;
alter table cc_pair_schedule add column access_error text collate "C";
alter table cc_pair_schedule add column access_closed bigint not null default 0;

-- Who belongs to a group of a source, as that source tells; `group_id` is as documents name it.
create table source_group_member (
  cc_pair_id bigint not null references cc_pair (id),
  group_id   text collate "C" not null,
  email      text collate "C" not null,
  primary key (cc_pair_id, group_id, email)
);
create index source_group_member_email on source_group_member (email);
