-- As sql/sqlite/0027-deleted-chats.sql, which explains it.
alter table chat_session add column deleted_at bigint;
create index chat_session_deleted on chat_session (deleted_at);
