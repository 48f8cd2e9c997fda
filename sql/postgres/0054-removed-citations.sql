-- How many citations of an answer were not shown, because their passages did not support them. Older answers count none.
alter table chat_message add column citations_removed integer not null default 0;
create index chat_message_citations_removed on chat_message (time_sent) where citations_removed > 0;
