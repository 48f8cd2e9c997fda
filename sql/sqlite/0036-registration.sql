-- E-mail domains whose people may create an account with a link that is mailed to them.
create table registration_domain (
  domain       text primary key,
  time_created integer not null
);
