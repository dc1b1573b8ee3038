-- On which node the process is that waits for a region: programs stay as they are for one of their own machine alone.
alter table region_owners add awaited_node text;
