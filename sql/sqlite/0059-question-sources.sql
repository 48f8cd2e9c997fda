-- The sources that a question was limited to, as a JSON array; empty: all. Earlier questions keep none.
alter table chat_message add column sources text not null default '[]';
