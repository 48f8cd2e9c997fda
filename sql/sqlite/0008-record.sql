-- What an index that follows these changes knows them by: one that followed others begins anew.
create table record_identity (
  id text not null
);
insert into record_identity values (lower(hex(randomblob(16))));
