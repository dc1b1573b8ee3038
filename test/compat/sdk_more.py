"""Further parts: what sdk_parts.py does not call, the asynchronous client, errors and pages."""

import asyncio
import os

import gcore
from gcore import AsyncGcore, Gcore
from sdk_parts import PROJECT, REGION, balancers, check, client, cloud, gone, load_balancer

WAIT = {"polling_interval_seconds": 1}


def ended(answer):
    """Polls every task of an answer."""
    for task in answer.tasks:
        cloud.tasks.poll(task, **WAIT)


def network_with_subnet(name, cidr):
    network = cloud.networks.create_and_poll(name=name, create_router=False)
    return network, cloud.networks.subnets.create_and_poll(name=name, network_id=network.id, cidr=cidr)


def an_image():
    return next(row for row in cloud.instances.images.list().results if row.os_distro == "debian")


def machine(name, interface):
    volume = {"source": "image", "image_id": an_image().id, "size": 10, "delete_on_termination": True}
    return cloud.instances.create_and_poll(
        name=name, flavor="g1-standard-1-2", volumes=[volume], interfaces=[interface]
    )


def routers():
    network, subnet = network_with_subnet("sdk routed", "10.60.0.0/24")
    routers = cloud.networks.routers
    gateway = {"enable_snat": True, "type": "default"}
    making = cloud.tasks.poll(routers.create(name="sdk router", external_gateway_info=gateway).tasks[0], **WAIT)
    router = routers.get(making.created_resources.routers[0])
    check(router.external_gateway_info is not None, "a router has its gateway")
    joined = routers.attach_subnet(router.id, subnet_id=subnet.id)
    check([own.network_id for own in joined.interfaces] == [network.id], "a subnet is attached")
    check(subnet.id in [row.id for row in cloud.networks.subnets.list(network_id=network.id)], "subnets are listed")
    routes = [{"destination": "10.200.0.0/16", "nexthop": "10.60.0.9"}]
    ended(routers.update(router.id, name="sdk renamed", routes=routes))
    changed = routers.get(router.id)
    check((changed.name, len(changed.routes)) == ("sdk renamed", 1), "it is changed")
    check(router.id in [row.id for row in routers.list(name="sdk renamed")], "it is listed")
    # The older version does not know it.
    if hasattr(routers, "metrics"):
        carried = routers.metrics.list(router.id, time_interval=1, time_unit="hour").results
        check([own.interface_type for own in carried] == ["public", "private"], "its traffic is read")
    ended(routers.update(router.id, routes=[]))
    check(routers.detach_subnet(router.id, subnet_id=subnet.id).interfaces == [], "the subnet is detached")
    # The older version answers with the network, the newer one with its task.
    ended_or_none(cloud.networks.update(network.id, name="sdk unrouted"))
    check(cloud.networks.get(network.id).name == "sdk unrouted", "a network is renamed")
    ended(routers.delete(router.id))
    gone(lambda: routers.get(router.id), "the router")
    cloud.networks.delete_and_poll(network.id)


def shared_addresses():
    _, subnet = network_with_subnet("sdk shared", "10.61.0.0/24")
    one = machine("sdk sharing", {"type": "subnet", "subnet_id": subnet.id, "network_id": subnet.network_id})
    vip = cloud.reserved_fixed_ips.create_and_poll(type="subnet", subnet_id=subnet.id)
    shared = cloud.reserved_fixed_ips.vip
    check(shared.toggle(vip.port_id, is_vip=True).is_vip, "an address can be shared")
    (candidate,) = shared.candidate_ports.list(vip.port_id).results
    check(candidate.instance_id == one.id, "the instance's port may share it")
    added = shared.connected_ports.add(vip.port_id, port_ids=[candidate.port_id])
    check([row.port_id for row in added.results] == [candidate.port_id], "it does")
    check(shared.connected_ports.list(vip.port_id).count == 1, "ports that share it are listed")
    check(shared.connected_ports.replace(vip.port_id, port_ids=[]).count == 0, "and not any more")
    floating = cloud.floating_ips.create_and_poll()
    assigned = cloud.floating_ips.assign(floating.id, port_id=candidate.port_id)
    check(assigned.port_id == candidate.port_id, "a floating IP is assigned by itself")
    check(cloud.floating_ips.unassign(floating.id).port_id is None, "and unassigned")
    check(not cloud.instances.disable_port_security(candidate.port_id).port_security_enabled, "security is off")
    check(cloud.instances.enable_port_security(candidate.port_id).port_security_enabled, "and on")
    check(len(cloud.ip_ranges.list().ranges) > 0, "ranges of egress are listed")
    cloud.floating_ips.delete_and_poll(floating.id)
    cloud.instances.delete_and_poll(one.id)


def machines():
    made = machine("sdk grouped", {"type": "external"})
    group = cloud.security_groups.create_and_poll(name="sdk assigned", rules=[])
    cloud.instances.assign_security_group(made.id, name=group.name)
    check(group.name in [row.name for row in cloud.instances.get(made.id).security_groups], "a group is assigned")
    cloud.instances.unassign_security_group(made.id, name=group.name)
    placed = cloud.placement_groups.create(name="sdk placed", policy="affinity")
    cloud.instances.action_and_poll(made.id, action="stop")
    ended(cloud.instances.add_to_placement_group(made.id, servergroup_id=placed.servergroup_id))
    check(len(cloud.placement_groups.get(placed.servergroup_id).instances) == 1, "it is in a placement group")
    ended(cloud.instances.remove_from_placement_group(made.id))
    series = cloud.instances.metrics.list(made.id, time_interval=1, time_unit="hour")
    check(series.count == len(series.results), "metrics are a series")
    rule = cloud.security_groups.rules.create_and_poll(group.id, direction="ingress", protocol="tcp")
    replaced = cloud.security_groups.rules.replace(rule.id, direction="ingress", protocol="udp")
    check((replaced.id, replaced.protocol) == (rule.id, "udp"), "a rule is replaced")
    volume = cloud.volumes.create_and_poll(name="sdk attached", source="new-volume", size=5)
    ended(cloud.volumes.attach_to_instance(volume.id, instance_id=made.id))
    check(cloud.volumes.get(volume.id).status == "in-use", "a volume is attached")
    ended(cloud.volumes.detach_from_instance(volume.id, instance_id=made.id))
    kept = cloud.volume_snapshots.create_and_poll(name="sdk kept", volume_id=volume.id)
    check(cloud.volume_snapshots.update(kept.id, name="sdk kept two").name == "sdk kept two", "a snapshot is renamed")
    cloud.volume_snapshots.delete_and_poll(kept.id)
    cloud.volumes.delete_and_poll(volume.id)
    fetched = cloud.instances.images.upload_and_poll(name="sdk fetched", url="https://images.virga.test/disk.raw")
    check((fetched.name, fetched.status) == ("sdk fetched", "active"), "an image comes from an address")
    cloud.instances.images.delete_and_poll(fetched.id)
    refusal(gcore.ConflictError, lambda: cloud.instances.get_console(made.id))
    cloud.instances.delete_and_poll(made.id)
    cloud.security_groups.delete(group.id)


def members():
    parent = load_balancer("sdk members", listeners=[{"name": "tcp", "protocol": "TCP", "protocol_port": 9100}])
    pool = balancers.pools.create_and_poll(
        name="of members", protocol="TCP", lb_algorithm="ROUND_ROBIN", listener_id=parent.listeners[0].id
    )
    own = balancers.pools.members
    if not hasattr(own, "replace"):
        # What it does came with a later version.
        balancers.delete_and_poll(parent.id)
        return
    ended(own.replace(pool.id, body=[{"address": "10.0.0.7", "protocol_port": 80, "weight": 2}]))
    (member,) = own.list(pool.id).results
    check(own.get(member.id, pool_id=pool.id).weight == 2, "a member is read")
    ended(own.update(member.id, pool_id=pool.id, weight=5))
    check(own.get(member.id, pool_id=pool.id).weight == 5, "it is changed")
    monitors = balancers.pools.health_monitors
    ended(monitors.create(pool.id, type="TCP", delay=5, api_timeout=3, max_retries=2))
    ended(monitors.update(pool.id, delay=7))
    check(monitors.get(pool.id).delay == 7, "a health monitor is changed")
    balancers.delete_and_poll(parent.id)


def clusters():
    key = cloud.ssh_keys.create(name="sdk clusters")
    # A cluster shows the security groups of its pools as they were asked for: null where none are given, which strict
    # types do not accept. A pool by itself always has a list.
    every = cloud.k8s.clusters
    groups = {"security_group_ids": []}
    old, new = "v1.31.11", "v1.32.8"
    check(len(cloud.k8s.flavors.list().results) > 0, "flavors are listed")
    made = every.create_and_poll(
        name="sdk-cluster",
        keypair=key.name,
        version=old,
        pools=[{"name": "workers", "flavor_id": "g1-standard-1-2", "min_node_count": 1, "max_node_count": 2, **groups}],
    )
    check((made.status, made.version) == ("Provisioned", old), "a cluster is created")
    check(made.name in [row.name for row in every.list().results], "it is listed")
    check(new in [row.version for row in every.list_versions_for_upgrade(made.name).results], "versions are listed")
    check("BEGIN CERTIFICATE" in every.get_certificate(made.name).certificate, "it has a certificate")
    check(len(every.kubeconfig.get(made.name).config) > 0, "it has a kubeconfig")
    every.upgrade_and_poll(made.name, version=new)
    check(every.get(made.name).version == new, "it is upgraded")
    every.update_and_poll(made.name, autoscaler_config={"scale-down-unneeded-time": "5m"})
    more = every.pools.create_and_poll(
        made.name, name="more", flavor_id="g1-standard-1-2", min_node_count=1, max_node_count=3
    )
    check(more.security_group_ids == [], "a pool is created without security groups")
    check(every.pools.get("more", cluster_name=made.name).status == "Running", "a pool is created")
    check("more" in [row.name for row in every.pools.list(made.name).results], "it is listed")
    changed = every.pools.update("more", cluster_name=made.name, labels={"a": "b"}, security_group_ids=[])
    check(changed.labels == {"a": "b"}, "it is changed")
    every.get(made.name)
    check(every.pools.get("more", cluster_name=made.name).name == "more", "it is read")
    every.pools.resize_and_poll("more", cluster_name=made.name, node_count=2)
    check(every.pools.check_quota(flavor_id="g1-standard-1-2", node_count=1) is not None, "quotas are checked")
    node, *_ = every.pools.nodes.list("more", cluster_name=made.name).results
    ended_or_none(every.pools.nodes.delete(node.id, cluster_name=made.name, pool_name="more"))
    other, *_ = every.nodes.list(made.name).results
    ended_or_none(every.nodes.delete(other.id, cluster_name=made.name))
    ended(every.pools.delete("more", cluster_name=made.name))
    every.delete_and_poll(made.name)
    gone(lambda: every.get(made.name), "the cluster")
    cloud.ssh_keys.delete(key.id)


def ended_or_none(answer):
    """What a version answers without a task needs no polling."""
    if hasattr(answer, "tasks"):
        ended(answer)


CERTIFICATE = os.environ.get("SDK_CERTIFICATE", "")
PRIVATE_KEY = os.environ.get("SDK_PRIVATE_KEY", "")


def belongings():
    project = cloud.projects.create(name="sdk project")
    check(cloud.projects.update(project_id=project.id, name="sdk changed").name == "sdk changed", "a project is renamed")
    ended(cloud.projects.delete(project_id=project.id))
    check(cloud.regions.get(region_id=REGION).id == REGION, "a region is read")

    limits = cloud.quotas.notification_threshold
    check(limits.update(1, threshold=75).threshold == 75, "a threshold is set")
    check(limits.get(1).threshold == 75, "and read")
    limits.delete(1)
    asked = {"global_limits": {"keypair_count_limit": 200}}
    cloud.quotas.requests.create(description="more keys", requested_limits=asked)
    (request, *_) = cloud.quotas.requests.list()
    check(cloud.quotas.requests.get(request.id).id == request.id, "a request for limits is read")
    cloud.quotas.requests.delete(request.id)

    key = cloud.ssh_keys.create(name="sdk shared")
    check(not cloud.ssh_keys.update(key.id, shared_in_project=False).shared_in_project, "a key is kept to its owner")
    cloud.ssh_keys.delete(key.id)
    payload = {"certificate": CERTIFICATE, "certificate_chain": "", "private_key": PRIVATE_KEY}
    secret = cloud.secrets.upload_tls_certificate_and_poll(name="sdk secret", payload=payload)
    check(secret.id in [row.id for row in cloud.secrets.list().results], "a secret is listed")
    check(cloud.secrets.get(secret.id).name == "sdk secret", "it is read")
    ended(cloud.secrets.delete(secret.id))
    first, *_ = cloud.tasks.list(limit=1)
    check(cloud.tasks.get(first.id).id == first.id, "a task is read")
    check(cloud.tasks.acknowledge_one(first.id).acknowledged_at is not None, "it is acknowledged")
    cloud.tasks.acknowledge_all(project_id=PROJECT)
    check(cloud.quotas.get_by_region(client_id=1, region_id=REGION) is not None, "quotas are read")


def people():
    iam = client.iam
    check(iam.get_account_overview().id == 1, "the account is read")
    role = {"id": 1, "name": "Users"}
    made = iam.api_tokens.create(1, name="sdk token", exp_date=None, client_user={"role": role})
    check(len(made.token) > 0, "a token is made")
    (token,) = [row for row in iam.api_tokens.list(1) if row.name == "sdk token"]
    check(iam.api_tokens.get(token.id, client_id=1).name == "sdk token", "it is read")
    iam.api_tokens.delete(token.id, client_id=1)
    invited = iam.users.invite(client_id=1, email="sdk@virga.test", user_role=role)
    check(invited.user_id > 0, "somebody is invited")
    check(invited.user_id in [row.id for row in iam.users.list()], "users are listed")
    check(iam.users.get(1).id == 1, "a user is read")
    check(iam.users.update(1, auth_types=["password"], name="One").name == "One", "the name is changed")
    roles = cloud.users.role_assignments
    given = roles.create(role="Observer", user_id=1, project_id=PROJECT)
    check(given.id in [row.id for row in roles.list()], "a role in a project is listed")
    roles.update(given.id, role="ProjectAdministrator", user_id=1, project_id=PROJECT)
    roles.delete(given.id)
    actions = list(cloud.audit_logs.list(limit=5, order_by="desc"))
    check(len(actions) > 0, "user actions are listed")
    iam.users.delete(invited.user_id, client_id=1)


def pages():
    sets = client.waap.custom_page_sets
    shown = sets.preview(page_type="block.html", header="Not here", title="Blocked", text="You cannot come in here.")
    check("Not here" in shown.html, "a page is shown")
    made = sets.create(name="sdk pages", block={"enabled": True, "header": "Not here"})
    check(sets.get(made.id).name == "sdk pages", "a set is read")
    check(made.id in [row.id for row in sets.list(name="sdk*")], "it is listed")
    sets.update(made.id, name="sdk pages")
    sets.delete(made.id)
    gone(lambda: sets.get(made.id), "the set")


def errors():
    nowhere = "11111111-1111-4111-8111-111111111111"
    refused = refusal(gcore.NotFoundError, lambda: balancers.get(nowhere))
    check(refused.body["exception_class"] == "NotFoundError", "what is not there says so")
    refused = refusal(gcore.BadRequestError, lambda: cloud.networks.create(name="!"))
    check("name" in refused.body["invalid_fields"], "a fault is named")
    stranger = Gcore(api_key="unknown", cloud_project_id=PROJECT, cloud_region_id=REGION, max_retries=0)
    refusal(gcore.AuthenticationError, stranger.iam.get_account_overview)
    reader = Gcore(api_key=reading_token(), cloud_project_id=PROJECT, cloud_region_id=REGION, max_retries=0)
    refusal(gcore.PermissionDeniedError, lambda: reader.cloud.networks.create(name="sdk no"))
    key = cloud.ssh_keys.create(name="sdk twice")
    refused = refusal(gcore.ConflictError, lambda: cloud.ssh_keys.create(name="sdk twice"))
    check(refused.response.headers["x-should-retry"] == "false", "what stays as it is need not be tried again")
    cloud.ssh_keys.delete(key.id)
    raw = cloud.projects.with_raw_response.list(limit=1)
    check(raw.headers["x-request-id"] and len(raw.parse().results) == 1, "headers are read")


def refusal(kind, call):
    try:
        call()
    except kind as refused:
        return refused
    raise AssertionError(f"no {kind.__name__}")


def reading_token():
    token = client.iam.api_tokens.create(
        1, name="sdk reader", exp_date=None, client_user={"role": {"id": 1, "name": "Users"}}
    )
    return token.token


def iterators():
    # First of all, so that keys that other parts make and delete meanwhile move none of them to another page.
    names = [f"0 sdk page {index}" for index in range(5)]
    made = [cloud.ssh_keys.create(name=name) for name in names]
    found = [key.name for key in cloud.ssh_keys.list(limit=2, order_by="name.asc") if key.name in names]
    check(found == names, "all pages are walked in order")
    page = cloud.ssh_keys.list(limit=2)
    check(page.has_next_page() and len(page.get_next_page().results) == 2, "pages follow each other")
    for key in made:
        cloud.ssh_keys.delete(key.id)


def postgresql():
    client.put(f"/cloud/v1/dbaas/status/{PROJECT}/{REGION}", body={"is_initialized": True}, cast_to=object)
    postgres = cloud.databases.postgres
    offer = postgres.configurations.get()
    flavor = offer.flavors[0]
    size = {"cpu": flavor.cpu, "memory_gib": flavor.memory_gib}
    settings = {"pg_conf": flavor.pg_conf, "version": offer.versions[-1]}
    check(postgres.custom_configurations.validate(**settings).is_valid, "the settings of a flavor are valid")
    wrong = postgres.custom_configurations.validate(pg_conf="nothing = 1", version=offer.versions[0])
    check((wrong.is_valid, len(wrong.errors)) == (False, 1), "others are not")
    made = postgres.clusters.create(
        cluster_name="sdk-base",
        flavor=size,
        high_availability=None,
        network={"acl": ["192.0.2.0/24"], "network_type": "public"},
        pg_server_configuration=settings,
        storage={"size_gib": 1, "type": offer.storage_classes[0].name},
        users=[{"name": "app", "role_attributes": ["LOGIN"]}],
        databases=[{"name": "shop", "owner": "app"}],
    )
    ended(made)
    cluster = postgres.clusters.get("sdk-base")
    check((cluster.status, cluster.users[0].is_secret_revealed) == ("READY", False), "it is made")
    users = postgres.clusters.user_credentials
    first = users.get("app", cluster_name="sdk-base")
    refusal(gcore.ConflictError, lambda: users.get("app", cluster_name="sdk-base"))
    check(users.regenerate("app", cluster_name="sdk-base").password != first.password, "a password is made anew")
    sync = {"replication_mode": "sync"}
    ended(postgres.clusters.update("sdk-base", storage={"size_gib": 2}, high_availability=sync))
    changed = postgres.clusters.get("sdk-base")
    check((changed.storage.size_gib, changed.high_availability.replication_mode) == (2, "sync"), "it is changed")
    check([row.cluster_name for row in postgres.clusters.list(name="sdk-base")] == ["sdk-base"], "it is listed")
    ended(postgres.clusters.delete("sdk-base"))
    gone(lambda: postgres.clusters.get("sdk-base"), "the PostgreSQL cluster")


def reports():
    volume = cloud.volumes.create_and_poll(name="sdk reported", size=5, source="new-volume", type_name="standard")
    span = {"time_from": "2026-01-01T00:00:00Z", "time_to": "2098-12-31T00:00:00Z"}
    only = {"schema_filter": {"type": "volume", "field": "uuid", "values": [volume.id]}}
    used = cloud.usage_reports.get(**span, **only)
    check((used.count, used.resources[0].last_name) == (1, "sdk reported"), "what was used is reported")
    costs = cloud.cost_reports.get_detailed(**span, **only, order_by=["billing_value.desc"])
    check((costs.price_status, costs.results[0].cost) == ("hide", None), "without a price list it costs nothing")
    totals = cloud.cost_reports.get_aggregated(**span, types=["volume"])
    check("standard" in [row.volume_type for row in totals.results], "and so in all")
    ended(cloud.volumes.delete(volume.id))
    check(cloud.usage_reports.get(**span, **only).count == 1, "what is gone is still reported")


def asynchronous():
    asyncio.run(lives_at_once())


async def lives_at_once():
    own = AsyncGcore(
        cloud_project_id=PROJECT, cloud_region_id=REGION, **{"polling_interval_seconds": 1}, _strict_response_validation=True
    )
    async with own:
        one, two = await asyncio.gather(
            own.cloud.networks.create_and_poll(name="sdk async one"),
            own.cloud.load_balancers.create_and_poll(name="sdk async two"),
        )
        check(two.provisioning_status == "ACTIVE", "both are made at once")
        listed = [row.id async for row in own.cloud.networks.list(limit=1)]
        check(one.id in listed, "pages are walked")
        await asyncio.gather(
            own.cloud.networks.delete_and_poll(one.id), own.cloud.load_balancers.delete_and_poll(two.id)
        )
        try:
            await own.cloud.networks.get(one.id)
            raise AssertionError("the network is still there")
        except gcore.NotFoundError:
            pass


PARTS = {
    part.__name__: part
    for part in (
        routers,
        shared_addresses,
        machines,
        members,
        clusters,
        postgresql,
        belongings,
        people,
        reports,
        pages,
        errors,
        iterators,
        asynchronous,
    )
}
