-- As sql/sqlite/0036-registration.sql, which explains the table.
create table registration_domain (
  domain       text collate "C" primary key,
  time_created bigint not null
);
