-- Receipts are a stream too: `mark` is the place of what was last said of a document. Webhooks follow it.
insert into sequence values ('mark', 0);
alter table receipt add column mark integer not null default 0;
create index receipt_mark on receipt (mark);
create index receipt_failed on receipt (document_id) where error is not null;

create table webhook (
  id           integer primary key autoincrement,
  url          text not null,
  events       text not null,
  cc_pair_ids  text,
  secret       text not null,
  status       text not null,
  reason       text,
  position     integer not null,
  time_created integer not null,
  time_updated integer not null
);

-- What is to be sent, until `next_at` is null; then what came of it.
create table webhook_delivery (
  id              integer primary key autoincrement,
  webhook_id      integer not null references webhook (id),
  message_id      text not null unique,
  event           text not null,
  payload         text not null,
  documents       integer not null,
  created_at      integer not null,
  give_up_at      integer not null,
  attempts        integer not null,
  next_at         integer,
  delivered_at    integer,
  response_status integer,
  answer          text,
  error           text
);
create index webhook_delivery_webhook on webhook_delivery (webhook_id, id);
