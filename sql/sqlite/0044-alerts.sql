-- Alerts: a condition that needs an administrator, from its begin to its end. `object_id` names what it is about, and
-- `cc_pair_id` the pair, for those who manage it. `ended_at` is set while the condition no longer holds; `closed_at` when
-- the end is reported. `seen_by` is the process that saw the condition last, where only that process can see it.
create table alert (
  id         integer primary key autoincrement,
  kind       text not null,
  object_id  text not null,
  cc_pair_id integer,
  name       text,
  reason     text,
  count      integer,
  due_at     integer,
  since      integer not null,
  opened_at  integer not null,
  ended_at   integer,
  closed_at  integer,
  seen_by    text,
  seen_at    integer not null
);
create unique index alert_open on alert (kind, object_id) where closed_at is null;
create index alert_closed on alert (closed_at);

-- Who need not see an alert any more, and until when; null until it ends. The empty id stands for everybody.
create table alert_dismissal (
  id           integer primary key autoincrement,
  alert_id     integer not null references alert (id),
  user_id      text not null,
  until        integer,
  time_created integer not null,
  unique (alert_id, user_id)
);

-- Mails about alerts that have to be sent, and for a day those that were sent.
create table alert_mail (
  id         integer primary key autoincrement,
  alert_id   integer not null references alert (id),
  person_id  text not null references person (id),
  event      text not null,
  attempts   integer not null default 0,
  next_at    integer,
  give_up_at integer not null,
  sent_at    integer
);
create index alert_mail_person on alert_mail (person_id);

-- Language models whose last calls failed. `settings` is a digest of what the calls used.
create table failing_model (
  provider_id   integer not null,
  model_name    text not null,
  settings      text not null,
  failures      integer not null,
  failing_since integer not null,
  reason        text not null,
  primary key (provider_id, model_name)
);

alter table cc_pair add column paused_at integer;
update cc_pair set paused_at = unixepoch() * 1000 where status = 'PAUSED';

-- Why the last run failed: a kind of SourceError; null if it did not fail or for another reason.
alter table cc_pair_schedule add column failure_kind text;
