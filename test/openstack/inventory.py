"""Says as JSON what is in the cloud, as the public SDK sees it: how many of each kind."""
import json
import os

import openstack

access = json.loads(os.environ["ACCESS"])
cloud = openstack.connect(
    auth_url=access["auth_url"],
    region_name=access["region_name"],
    auth_type="v3applicationcredential",
    auth={
        "auth_url": access["auth_url"],
        "application_credential_id": access["credential"]["id"],
        "application_credential_secret": access["credential"]["secret"],
    },
)
balancers = list(cloud.load_balancer.load_balancers())
pools = list(cloud.load_balancer.pools())
print(
    json.dumps(
        {
            "load_balancers": len(balancers),
            "listeners": len(list(cloud.load_balancer.listeners())),
            "pools": len(pools),
            "members": sum(len(list(cloud.load_balancer.members(pool.id))) for pool in pools),
            "monitors": len(list(cloud.load_balancer.health_monitors())),
            "policies": len(list(cloud.load_balancer.l7_policies())),
            "ports": len([port for port in cloud.network.ports() if (port.description or "").startswith("virga:")]),
            "floating_ips": len(list(cloud.network.ips())),
            "leading": len([each for each in cloud.network.ips() if each.port_id]),
        }
    )
)
