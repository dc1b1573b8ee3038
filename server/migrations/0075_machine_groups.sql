-- Which server group an instance is in is known by server_group_members.
alter table instances drop column servergroup_id;
