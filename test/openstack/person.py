"""What a person does with the public Python SDK: the words name a step, and what came of it is a line of JSON. The server
and the token come from GCORE_BASE_URL and GCORE_API_KEY."""

import json
import sys

from gcore import Gcore

client = Gcore(
    cloud_project_id=1, cloud_region_id=7, polling_interval_seconds=1, polling_timeout_seconds=120
)
cloud = client.cloud
balancers = cloud.load_balancers


def networks():
    network = cloud.networks.create_and_poll(name="shop", create_router=False)
    subnet = cloud.networks.subnets.create_and_poll(
        name="shop", network_id=network.id, cidr="10.9.0.0/24", connect_to_network_router=False
    )
    gateway = {"enable_snat": True, "type": "default"}
    making = cloud.tasks.poll(cloud.networks.routers.create(name="door", external_gateway_info=gateway).tasks[0])
    (router,) = making.created_resources.routers
    cloud.networks.routers.attach_subnet(router, subnet_id=subnet.id)
    return {"network": network.id, "subnet": subnet.id, "router": router}


def balancer(subnet, *addresses):
    pool = {
        "name": "servers",
        "protocol": "TCP",
        "lb_algorithm": "SOURCE_IP",
        "members": [{"address": address, "protocol_port": 8080} for address in addresses],
        "healthmonitor": {"type": "TCP", "delay": 5, "timeout": 3, "max_retries": 2},
    }
    made = balancers.create_and_poll(
        name="shop",
        vip_subnet_id=subnet,
        floating_ip={"source": "new"},
        listeners=[{"name": "front", "protocol": "TCP", "protocol_port": 80, "pools": [pool]}],
    )
    (floating,) = made.floating_ips
    return {"id": made.id, "floating": floating.id, "address": floating.floating_ip_address}


def status(balancer):
    return {"status": balancers.get(balancer).operating_status}


def remove(balancer, floating):
    balancers.delete_and_poll(balancer)
    cloud.floating_ips.delete_and_poll(floating)
    return {}


def remove_networks(network, router):
    cloud.tasks.poll(cloud.networks.routers.delete(router).tasks[0])
    cloud.networks.delete_and_poll(network)
    return {}


if __name__ == "__main__":
    step, *words = sys.argv[1:]
    print(json.dumps(globals()[step](*words)))
