-- Clients ask whether a session was deleted: of one that was, the row stays for a while and nothing that was said in it.
alter table chat_session add column deleted_at integer;
create index chat_session_deleted on chat_session (deleted_at);
