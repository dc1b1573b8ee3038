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
def ours(found):
    return [each for each in found if (each.description or "").startswith("virga:")]


def machines():
    if "machines" not in access:
        return {name: 0 for name in ("servers", "key_pairs", "server_groups", "volumes", "attachments", "snapshots", "images")}
    volumes = list(cloud.block_storage.volumes())
    return {
        "servers": len(list(cloud.compute.servers())),
        "key_pairs": len(list(cloud.compute.keypairs())),
        "server_groups": len(list(cloud.compute.server_groups())),
        "volumes": len(volumes),
        "attachments": sum(len(volume.attachments) for volume in volumes),
        "snapshots": len(list(cloud.block_storage.snapshots())),
        "images": len(list(cloud.image.images(owner=access["project_id"]))),
    }


routers = ours(cloud.network.routers())
groups = ours(cloud.network.security_groups())
print(
    json.dumps(
        {
            "load_balancers": len(balancers),
            "listeners": len(list(cloud.load_balancer.listeners())),
            "pools": len(pools),
            "members": sum(len(list(cloud.load_balancer.members(pool.id))) for pool in pools),
            "monitors": len(list(cloud.load_balancer.health_monitors())),
            "policies": len(list(cloud.load_balancer.l7_policies())),
            "secrets": len(list(cloud.key_manager.secrets())),
            "ports": len([port for port in cloud.network.ports() if (port.description or "").startswith("virga:")]),
            "floating_ips": len(list(cloud.network.ips())),
            "networks": len(ours(cloud.network.networks())),
            "subnets": len(ours(cloud.network.subnets())),
            "routers": len(routers),
            "interfaces": sum(
                len([port for port in cloud.network.ports(device_id=router.id) if port.device_owner != "network:router_gateway"])
                for router in routers
            ),
            "groups": len(groups),
            "rules": sum(len(list(cloud.network.security_group_rules(security_group_id=group.id))) for group in groups),
            "leading": len([each for each in cloud.network.ips() if each.port_id]),
            **machines(),
        }
    )
)
