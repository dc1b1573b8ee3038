"""The life of each resource, driven with the public Python SDK of the contract: its calls, its types and its own
polling. Called with the name of one part; the server and the token come from GCORE_BASE_URL and GCORE_API_KEY.
Answers that do not have the SDK's types make it fail."""

import sys

import gcore
from gcore import Gcore

PROJECT = 1
REGION = 2

client = Gcore(
    cloud_project_id=PROJECT,
    cloud_region_id=REGION,
    polling_interval_seconds=1,
    polling_timeout_seconds=60,
    _strict_response_validation=True,
)
cloud = client.cloud
balancers = cloud.load_balancers


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def gone(read, what):
    try:
        read()
    except gcore.NotFoundError:
        return
    raise AssertionError(f"{what} is still there")


def load_balancer(name, **more):
    return balancers.create_and_poll(name=name, **more)


def load_balancers():
    made = load_balancer(
        "sdk life",
        tags={"team": "a"},
        listeners=[
            {
                "name": "http",
                "protocol": "HTTP",
                "protocol_port": 80,
                "pools": [
                    {
                        "name": "app",
                        "protocol": "HTTP",
                        "lb_algorithm": "ROUND_ROBIN",
                        "members": [{"address": "10.0.0.1", "protocol_port": 8080}],
                        "healthmonitor": {"type": "TCP", "delay": 5, "timeout": 3, "max_retries": 2},
                    }
                ],
            }
        ],
    )
    check(made.provisioning_status == "ACTIVE", "a created load balancer is ACTIVE")
    check(made.vip_address is not None and len(made.listeners) == 1, "it has an address and its listener")
    check(made.task_id is None and made.creator_task_id is not None, "its task has let go of it")

    changed = balancers.update(made.id, name="sdk life 2", tags={"team": None, "stage": "test"})
    check(changed.name == "sdk life 2", "an update answers with the load balancer")
    check([tag.key for tag in changed.tags_v2] == ["stage"], "tags are merged")

    resized = balancers.resize_and_poll(made.id, flavor="lb1-2-4")
    check(resized.flavor.flavor_name == "lb1-2-4", "a resize changes the flavor")
    check(balancers.failover_and_poll(made.id, force=False).id == made.id, "a failover keeps it")

    shown = balancers.get(made.id, show_stats=True, with_ddos=True)
    check(shown.stats.total_connections >= 0 and shown.ddos_profile is None, "stats are shown on demand")
    listed = balancers.list(name="sdk life 2", tag_key=["stage"], order_by="name.asc", show_stats=True)
    check([lb.id for lb in listed] == [made.id], "filters find it")

    status = balancers.statuses.get(made.id)
    check(status.listeners[0].pools[0].members[0].address == "10.0.0.1", "the tree of statuses has its member")
    check(balancers.statuses.list().count >= 1, "statuses are listed")
    series = balancers.metrics.list(made.id, time_interval=1, time_unit="hour")
    check(series.count == len(series.results), "metrics are a series")
    check(len(balancers.flavors.list(include_prices=True).results) > 0, "flavors have prices")

    try:
        balancers.resize(made.id, flavor="huge")
        raise AssertionError("an unknown flavor is refused")
    except gcore.BadRequestError as refused:
        check("flavor" in str(refused.body), "the refusal names the field")

    balancers.delete_and_poll(made.id)
    gone(lambda: balancers.get(made.id), "the load balancer")

    mine = {"sdk-pages": "mine"}
    dual = load_balancer("sdk dual", vip_ip_family="dual", preferred_connectivity="L3", tags=mine)
    (additional,) = dual.additional_vips
    check((dual.vip_ip_family, dual.preferred_connectivity) == ("dual", "L3"), "it has both IP versions")
    check(":" in additional.ip_address and "." in dual.vip_address, "an address of each")
    check([vip.ip_address for vip in dual.vrrp_ips] == [dual.vip_address, additional.ip_address], "both stand alone")
    six = load_balancer("sdk six", vip_ip_family="ipv6", tags=mine)
    check((six.vip_ip_family, six.additional_vips) == ("ipv6", []), "one has IPv6 alone")
    ordered = [lb.id for lb in balancers.list(order_by="vip_ip_family.asc") if lb.id in (dual.id, six.id)]
    check(ordered == [dual.id, six.id], "they are ordered by IP version")
    # A list that nobody else changes: pages of one that shrinks meanwhile may leave something out.
    pages = [lb.id for lb in balancers.list(limit=1, tag_key=["sdk-pages"])]
    check(sorted(pages) == sorted([dual.id, six.id]), "paging walks over all pages")
    check(balancers.update(dual.id, preferred_connectivity="L2").preferred_connectivity == "L2", "it is changed")

    port = cloud.reserved_fixed_ips.create_and_poll(type="external", ip_family="dual")
    check(port.fixed_ip_address is not None and port.fixed_ipv6_address is not None, "both are reserved")
    claiming = load_balancer("sdk reserved", vip_port_id=port.port_id, vip_ip_family="dual")
    check(claiming.vip_address == port.fixed_ip_address, "a load balancer has the first")
    check(claiming.additional_vips[0].ip_address == port.fixed_ipv6_address, "and the second")
    for lb in (dual, six, claiming):
        balancers.delete_and_poll(lb.id)
    cloud.tasks.poll(cloud.reserved_fixed_ips.delete(port.port_id).tasks[0])
    gone(lambda: cloud.reserved_fixed_ips.get(port.port_id), "the reserved addresses")


def listeners():
    parent = load_balancer("sdk listeners")
    made = balancers.listeners.create_and_poll(
        load_balancer_id=parent.id,
        name="web",
        protocol="HTTP",
        protocol_port=8080,
        allowed_cidrs=["10.0.0.0/8"],
        insert_x_forwarded=True,
    )
    check(made.protocol_port == 8080 and made.load_balancer_id == parent.id, "a listener is created")
    check(made.provisioning_status == "ACTIVE", "it is ACTIVE")
    changed = balancers.listeners.update_and_poll(made.id, name="web 2", connection_limit=500)
    check((changed.name, changed.connection_limit) == ("web 2", 500), "it is changed")
    listed = balancers.listeners.list(load_balancer_id=parent.id, show_stats=True)
    check([row.id for row in listed.results] == [made.id], "it is listed")
    check(balancers.listeners.get(made.id, show_stats=True).id == made.id, "it is read")
    balancers.listeners.delete_and_poll(made.id)
    gone(lambda: balancers.listeners.get(made.id), "the listener")
    balancers.delete_and_poll(parent.id)


def pools():
    parent = load_balancer("sdk pools", listeners=[{"name": "tcp", "protocol": "TCP", "protocol_port": 9000}])
    pool = balancers.pools.create_and_poll(
        name="app",
        protocol="TCP",
        lb_algorithm="LEAST_CONNECTIONS",
        listener_id=parent.listeners[0].id,
        session_persistence={"type": "SOURCE_IP"},
    )
    check(pool.lb_algorithm == "LEAST_CONNECTIONS" and pool.members == [], "a pool is created")

    task = cloud.tasks.poll(
        balancers.pools.members.create(pool.id, address="10.0.0.2", protocol_port=9001, weight=3).tasks[0]
    )
    (member_id,) = task.created_resources.members
    (member,) = balancers.pools.get(pool.id).members
    check((member.id, member.address, member.weight) == (member_id, "10.0.0.2", 3), "a member is added")

    cloud.tasks.poll(
        balancers.pools.health_monitors.create(pool.id, type="TCP", delay=5, api_timeout=3, max_retries=2).tasks[0]
    )
    check(balancers.pools.get(pool.id).healthmonitor.type == "TCP", "a health monitor is added")

    changed = balancers.pools.update_and_poll(
        pool.id,
        name="app 2",
        lb_algorithm="ROUND_ROBIN",
        members=[
            {"address": "10.0.0.2", "protocol_port": 9001, "weight": 7},
            {"address": "10.0.0.3", "protocol_port": 9001},
        ],
    )
    check((changed.name, changed.lb_algorithm) == ("app 2", "ROUND_ROBIN"), "a pool is changed")
    weights = {row.address: row.weight for row in changed.members}
    check(weights == {"10.0.0.2": 7, "10.0.0.3": 1}, "an update replaces the members")

    removed = next(row for row in changed.members if row.address == "10.0.0.3")
    cloud.tasks.poll(balancers.pools.members.delete(removed.id, pool_id=pool.id).tasks[0])
    check([row.address for row in balancers.pools.get(pool.id).members] == ["10.0.0.2"], "a member is removed")

    balancers.pools.health_monitors.delete(pool.id)
    check(balancers.pools.get(pool.id).healthmonitor is None, "a health monitor is removed without a task")
    listed = balancers.pools.list(load_balancer_id=parent.id, details=True)
    check([row.id for row in listed.results] == [pool.id], "it is listed")

    balancers.pools.delete_and_poll(pool.id)
    gone(lambda: balancers.pools.get(pool.id), "the pool")
    balancers.delete_and_poll(parent.id)


def l7_policies():
    parent = load_balancer("sdk policies", listeners=[{"name": "http", "protocol": "HTTP", "protocol_port": 80}])
    policies = balancers.l7_policies
    policy = policies.create_and_poll(
        action="REDIRECT_TO_URL",
        listener_id=parent.listeners[0].id,
        redirect_url="https://example.com/",
        name="elsewhere",
        position=1,
    )
    check(policy.action == "REDIRECT_TO_URL" and policy.position == 1, "a policy is created")

    rule = policies.rules.create_and_poll(policy.id, type="PATH", compare_type="STARTS_WITH", value="/old")
    check((rule.type, rule.value, rule.invert) == ("PATH", "/old", False), "a rule is created")
    replaced = policies.rules.replace_and_poll(
        rule.id, l7policy_id=policy.id, type="HEADER", compare_type="EQUAL_TO", key="x-old", value="yes", invert=True
    )
    check((replaced.type, replaced.key, replaced.invert) == ("HEADER", "x-old", True), "a rule is replaced")
    check([row.id for row in policies.rules.list(policy.id).results] == [rule.id], "rules are listed")

    changed = policies.update_and_poll(policy.id, action="REJECT", name="nowhere")
    check((changed.action, changed.name) == ("REJECT", "nowhere"), "a policy is changed")
    check(policy.id in [row.id for row in policies.list().results], "policies are listed")

    policies.rules.delete_and_poll(rule.id, l7policy_id=policy.id)
    gone(lambda: policies.rules.get(rule.id, l7policy_id=policy.id), "the rule")
    policies.delete_and_poll(policy.id)
    gone(lambda: policies.get(policy.id), "the policy")
    balancers.delete_and_poll(parent.id)


def floating_ips():
    parent = load_balancer("sdk floating")
    address = cloud.floating_ips.create_and_poll(tags={"use": "sdk"})
    check(address.floating_ip_address is not None and address.port_id is None, "a floating IP is created")
    assigned = cloud.floating_ips.update_and_poll(address.id, port_id=parent.vip_port_id)
    check(assigned.port_id == parent.vip_port_id, "it is assigned")
    carried = balancers.get(parent.id)
    check([ip.id for ip in carried.floating_ips] == [address.id], "the load balancer has it")
    found = [lb.id for lb in balancers.list(assigned_floating=True, name="sdk floating")]
    check(found == [parent.id], "it is found by it")
    free = cloud.floating_ips.update_and_poll(address.id, port_id=None)
    check(free.port_id is None, "it is unassigned")
    check(address.id in [ip.id for ip in cloud.floating_ips.list()], "it is listed")
    cloud.floating_ips.delete_and_poll(address.id)
    gone(lambda: cloud.floating_ips.get(address.id), "the floating IP")
    balancers.delete_and_poll(parent.id)


def networks():
    network = cloud.networks.create_and_poll(name="sdk network", tags={"use": "sdk"})
    check(network.id in [row.id for row in cloud.networks.list(name="sdk network")], "a network is listed")
    subnet = cloud.networks.subnets.create_and_poll(name="sdk subnet", network_id=network.id, cidr="10.40.0.0/24")
    check(subnet.gateway_ip == "10.40.0.1", "a subnet is created")
    check(cloud.networks.get(network.id).subnets == [subnet.id], "the network has it")
    changed = cloud.networks.subnets.update(subnet.id, name="sdk subnet two")
    check(changed.name == "sdk subnet two", "it is renamed")
    port = cloud.reserved_fixed_ips.create_and_poll(type="subnet", subnet_id=subnet.id)
    check(port.fixed_ip_address == "10.40.0.2", "an address of it is reserved")
    check(cloud.reserved_fixed_ips.update(port.port_id, is_vip=True).is_vip, "it becomes a VIP")
    check(port.port_id in [row.port_id for row in cloud.reserved_fixed_ips.list(vip_only=True)], "it is listed")
    parent = load_balancer("sdk on a subnet", vip_port_id=port.port_id)
    check(parent.vip_address == "10.40.0.2", "a load balancer has it")
    check([ip.subnet_id for ip in parent.vrrp_ips] == [subnet.id], "and says of which subnet it is")
    balancers.delete_and_poll(parent.id)
    check(not cloud.reserved_fixed_ips.update(port.port_id, is_vip=False).is_vip, "it is no VIP any more")
    cloud.tasks.poll(cloud.reserved_fixed_ips.delete(port.port_id).tasks[0], polling_interval_seconds=1)
    gone(lambda: cloud.reserved_fixed_ips.get(port.port_id), "the reserved fixed IP")
    cloud.tasks.poll(cloud.networks.subnets.delete(subnet.id).tasks[0], polling_interval_seconds=1)
    gone(lambda: cloud.networks.subnets.get(subnet.id), "the subnet")
    cloud.networks.delete_and_poll(network.id)
    gone(lambda: cloud.networks.get(network.id), "the network")


def volumes():
    image = next(row for row in cloud.instances.images.list().results if row.os_distro == "debian")
    check(cloud.instances.images.get(image.id).name == image.name, "an image of the region is read")
    check("g1-standard-1-2" in [row.flavor_id for row in cloud.instances.flavors.list().results], "flavors are listed")
    volume = cloud.volumes.create_and_poll(
        name="sdk volume", source="image", image_id=image.id, size=10, type_name="standard", tags={"use": "sdk"}
    )
    check(volume.bootable and volume.status == "available", "a volume is created from it")
    check(volume.id in [row.id for row in cloud.volumes.list(name_part="sdk vol", bootable=True)], "it is listed")
    check(cloud.volumes.update(volume.id, name="sdk renamed").name == "sdk renamed", "it is renamed")
    check(cloud.volumes.resize_and_poll(volume.id, size=15).size == 15, "it grows")
    check(cloud.volumes.change_type(volume.id, volume_type="ssd_hiiops").volume_type == "ssd_hiiops", "it is retyped")
    kept = cloud.volume_snapshots.create_and_poll(name="sdk snapshot", volume_id=volume.id)
    check(kept.size == 15 and kept.status == "available", "a snapshot of it is created")
    cloud.volumes.revert_to_last_snapshot(volume.id)
    again = cloud.volumes.create_and_poll(name="sdk again", source="snapshot", snapshot_id=kept.id, size=16)
    check(again.bootable and again.size == 16, "another volume is created from that")
    cloud.volumes.delete_and_poll(again.id)
    check(kept.id in [row.id for row in cloud.volume_snapshots.list(volume_id=volume.id).results], "it is listed")
    cloud.volume_snapshots.delete_and_poll(kept.id)
    gone(lambda: cloud.volume_snapshots.get(kept.id), "the snapshot")
    copy = cloud.instances.images.create_from_volume_and_poll(name="sdk image", volume_id=volume.id)
    check(copy.min_disk == 15 and copy.visibility == "shared", "an image of it is created")
    check(cloud.instances.images.update(copy.id, name="sdk copy").name == "sdk copy", "the image is renamed")
    check(copy.id in [row.id for row in cloud.instances.images.list(visibility="shared").results], "the image is listed")
    cloud.instances.images.delete_and_poll(copy.id)
    gone(lambda: cloud.instances.images.get(copy.id), "the image")
    cloud.volumes.delete_and_poll(volume.id)
    gone(lambda: cloud.volumes.get(volume.id), "the volume")


def instances():
    image = next(row for row in cloud.instances.images.list().results if row.os_distro == "debian")
    made = cloud.instances.create_and_poll(
        name="sdk machine",
        flavor="g1-standard-1-2",
        volumes=[{"source": "image", "image_id": image.id, "size": 10, "delete_on_termination": True}],
        interfaces=[{"type": "external"}],
        tags={"use": "sdk"},
        username="me",
        password="Secret-1234",
    )
    check(made.status == "ACTIVE" and len(made.volumes) == 1, "an instance is created")
    check(made.id in [row.id for row in cloud.instances.list(name="sdk mach", include_k8s=False)], "it is listed")
    check(cloud.instances.update(made.id, name="sdk renamed").name == "sdk renamed", "it is renamed")
    check(cloud.instances.action_and_poll(made.id, action="stop").status == "SHUTOFF", "it is stopped")
    check(cloud.instances.action_and_poll(made.id, action="start").status == "ACTIVE", "it is started")
    check(cloud.instances.action_and_poll(made.id, action="reboot").status == "ACTIVE", "it is restarted")
    bigger = cloud.instances.resize_and_poll(made.id, flavor_id="g1-standard-2-4")
    check(bigger.flavor.flavor_id == "g1-standard-2-4", "it is resized")
    network = cloud.networks.create_and_poll(name="sdk machines")
    subnet = cloud.networks.subnets.create_and_poll(name="sdk", network_id=network.id, cidr="10.9.0.0/24")
    cloud.instances.interfaces.attach_and_poll(made.id, subnet_id=subnet.id, interface_name="lan")
    first, second = cloud.instances.interfaces.list(made.id).results
    check(second.network_details.id == network.id, "an interface is attached and listed")
    address = second.ip_assignments[0].ip_address
    cloud.instances.interfaces.detach_and_poll(made.id, port_id=second.port_id, ip_address=address)
    check(len(cloud.instances.interfaces.list(made.id).results) == 1, "it is detached")
    cloud.instances.delete_and_poll(made.id)
    gone(lambda: cloud.instances.get(made.id), "the instance")
    cloud.networks.delete(network.id)


def security_groups():
    rule = {"direction": "ingress", "protocol": "tcp", "port_range_min": 443, "port_range_max": 443}
    group = cloud.security_groups.create_and_poll(name="sdk group", rules=[rule], tags={"use": "sdk"})
    inwards = [own for own in group.security_group_rules if own.direction == "ingress"]
    check([own.port_range_min for own in inwards] == [443], "a security group is created")
    check(group.id in [row.id for row in cloud.security_groups.list(name="sdk group")], "it is listed")
    changed = cloud.security_groups.update_and_poll(group.id, name="sdk changed", rules=[])
    check(changed.name == "sdk changed" and changed.security_group_rules == [], "it is changed")
    more = cloud.security_groups.rules.create_and_poll(group.id, direction="egress", ethertype="IPv6", protocol="tcp")
    check(more.ethertype == "IPv6", "a rule is added")
    cloud.security_groups.rules.delete_and_poll(rule_id=more.id, group_id=group.id)
    copy = cloud.security_groups.copy(group.id, name="sdk copy")
    check(copy.security_group_rules == [], "it is copied")
    reverted = cloud.security_groups.revert_to_default(copy.id).security_group_rules
    check({22, 3389} <= {own.port_range_min for own in reverted}, "the copy is reverted")
    for made in (group, copy):
        cloud.security_groups.delete(made.id)
        gone(lambda: cloud.security_groups.get(made.id), "the security group")


def placement_groups():
    group = cloud.placement_groups.create(name="sdk group", policy="anti-affinity")
    check(group.instances == [], "a placement group is created")
    check(cloud.placement_groups.get(group.servergroup_id).name == "sdk group", "it is read")
    listed = [row.servergroup_id for row in cloud.placement_groups.list().results]
    check(group.servergroup_id in listed, "it is listed")
    cloud.tasks.poll(cloud.placement_groups.delete(group.servergroup_id).tasks[0], polling_interval_seconds=1)
    gone(lambda: cloud.placement_groups.get(group.servergroup_id), "the placement group")


def accounts():
    check(cloud.projects.get().id == PROJECT, "a project is read")
    check(PROJECT in [project.id for project in cloud.projects.list()], "projects are listed")
    check(REGION in [region.id for region in cloud.regions.list()], "regions are listed")
    check(cloud.tasks.list(limit=5) is not None, "tasks are listed")
    check(cloud.quotas.get_global(client_id=1).project_count_limit > 0, "global quotas are read")
    check(cloud.quotas.get_by_region(client_id=1, region_id=REGION).loadbalancer_count_limit > 0, "regional quotas")
    check(cloud.quotas.get_all() is not None, "all quotas are read")
    check(len(cloud.k8s.list_versions().results) > 0, "Kubernetes versions are listed")

    key = cloud.ssh_keys.create(name="sdk-key")
    check(key.private_key is not None, "a key pair is generated")
    check(key.id in [row.id for row in cloud.ssh_keys.list()], "it is listed")
    cloud.ssh_keys.delete(key.id)
    gone(lambda: cloud.ssh_keys.get(key.id), "the SSH key")

    data = {"aws_access_key_id": "AKID", "aws_secret_access_key": "shh"}
    made = cloud.inference.secrets.create(name="sdk-secret", type="aws-iam", data=data)
    check(made.data.aws_secret_access_key == "shh", "an inference secret is created")
    data = {"aws_access_key_id": "AKID", "aws_secret_access_key": "changed"}
    cloud.inference.secrets.replace("sdk-secret", type="aws-iam", data=data)
    check(cloud.inference.secrets.get("sdk-secret").data.aws_secret_access_key == "changed", "it is replaced")
    check("sdk-secret" in [row.name for row in cloud.inference.secrets.list()], "it is listed")
    cloud.inference.secrets.delete("sdk-secret")
    gone(lambda: cloud.inference.secrets.get("sdk-secret"), "the inference secret")

    credentials = cloud.inference.registry_credentials
    robot = {"registry_url": "docker.io", "username": "robot", "password": "shh"}
    check(credentials.create(name="sdk-registry", **robot).username == "robot", "registry credentials are created")
    robot["username"] = "another"
    credentials.replace("sdk-registry", **robot)
    read = [credentials.get("sdk-registry"), *credentials.list()]
    check([one.username for one in read] == ["another", "another"], "they are replaced, and listed as they are read")
    credentials.delete("sdk-registry")
    gone(lambda: credentials.get("sdk-registry"), "the registry credentials")


PARTS = {part.__name__: part for part in (load_balancers, listeners, pools, l7_policies, floating_ips, networks, volumes, instances, security_groups, placement_groups, accounts)}

if __name__ == "__main__":
    PARTS[sys.argv[1]]()
    print("done")
