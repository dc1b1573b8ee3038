-- Instances with several interfaces: those that lists count one by one.
create index ports_further on ports (project_id, region_id, device_id) where device_type = 'instance' and position > 0;
