-- Reserved addresses have another index on their task.
drop index reserved_fixed_ips_held;
